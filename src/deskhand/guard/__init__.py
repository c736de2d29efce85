"""Who may act: sessions, limits, and the record of what was done."""

"""The clipboard of an X screen: reading it, and owning it in a process that outlives this one."""

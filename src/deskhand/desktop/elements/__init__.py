"""Elements of applications: showing them, finding them, keeping hold of them, acting on them."""

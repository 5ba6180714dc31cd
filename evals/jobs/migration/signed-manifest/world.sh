mkdir -p 'export/photos/2026'; echo one > 'export/photos/2026/a b.jpg'; echo two > export/photos/c.jpg; echo three > export/notes.txt

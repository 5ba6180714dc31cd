mkdir -p laptop/n desktop/n
echo same > laptop/same; cp laptop/same desktop/same
echo L > laptop/only-laptop; echo D > desktop/n/only-desktop
echo new > laptop/n/todo; echo old > desktop/n/todo; touch -d 2026-11-20 laptop/n/todo; touch -d 2026-10-01 desktop/n/todo
echo old > laptop/plan; echo new > desktop/plan; touch -d 2026-01-01 laptop/plan; touch -d 2026-02-01 desktop/plan

mkdir -p docs backups
echo 'budget of today' > docs/budget.md
mkdir docs.tmp; echo 'plan, version 1' > docs.tmp/plan.md; echo 'old budget' > docs.tmp/budget.md
tar cf backups/2026-11-01.tar --transform 's,docs.tmp,docs,' docs.tmp
echo 'plan, version 2' > docs.tmp/plan.md
tar cf backups/2026-11-10.tar --transform 's,docs.tmp,docs,' docs.tmp
rm docs.tmp/plan.md
tar cf backups/2026-11-20.tar --transform 's,docs.tmp,docs,' docs.tmp
rm -r docs.tmp

[ "$(cat docs/plan.md)" = 'plan, version 2' ] || fail "plan.md: $(cat docs/plan.md 2>&1)"

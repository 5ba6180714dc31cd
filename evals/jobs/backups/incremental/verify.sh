[ "$(cd project && grep -r . . | sort | tr '\n' ' ')" = './a:a11 ./c:c10 ./d:d12 ' ] || fail "project: $(cd project && grep -r . .)"

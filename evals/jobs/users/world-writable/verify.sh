[ "$(stat -c %a /srv/share/team/plan.ods /srv/share/public/form.pdf /srv/share/team/list.csv | tr '\n' ' ')" = '664 775 664 ' ] || fail "$(stat -c '%n %a' /srv/share/*/*)"
[ "$(stat -c %a /srv/share/public)" = 1777 ] || fail 'the folder was changed'

grep -q '^SMTP_HOST=mail.lan$' /etc/mailer/env || fail 'SMTP_HOST is gone'
for n in $(seq 60); do [ -e /run/mailer.ready ] && exit 0; sleep 0.1; done
fail "mailer does not run: $(tail -1 /var/log/mailer.log)"

mkdir -p /etc/service/mailer /etc/mailer /usr/share/doc/mailer
echo '3.0: SMTP_PASS is now MAILER_KEY. The old name is refused.' > /usr/share/doc/mailer/CHANGES
printf 'SMTP_HOST=mail.lan\nSMTP_PASS=k3y-of-the-mailer-77\n' > /etc/mailer/env; chmod 640 /etc/mailer/env
cat > /etc/service/mailer/run <<'RUN'
#!/bin/sh
. /etc/mailer/env
[ -n "$SMTP_PASS" ] && { echo 'SMTP_PASS is not known any more, see CHANGES' >> /var/log/mailer.log; sleep 1; exit 1; }
[ "$MAILER_KEY" = k3y-of-the-mailer-77 ] || { echo 'no MAILER_KEY' >> /var/log/mailer.log; sleep 1; exit 1; }
echo ready > /run/mailer.ready; exec sleep infinity
RUN
chmod 700 /etc/service/mailer/run
supervise mailer

mkdir -p /var/log/share && cd /var/log/share
printf '2026-11-20T08:00:01 anna mkdir /srv/share/invoices\n2026-11-21T10:12:00 tom rename /srv/share/invoices/a.pdf\n2026-11-22T17:45:30 guest rmdir /srv/share/invoices-old\n2026-11-23T07:03:12 tom rmdir /srv/share/invoices\n2026-11-23T09:00:00 anna stat /srv/share/invoices\n' > audit.log

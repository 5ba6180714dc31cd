for n in server intermediate root; do openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /dev/null -out $n.pem -subj /CN=$n -days 30 2>/dev/null; done
cat root.pem intermediate.pem server.pem > bundle.pem

printf 'services:\n  grafana:\n    image: grafana/grafana:latest\n  loki:\n    image: grafana/loki:3.2.0\n  adguard:\n    image: adguard/adguardhome\n  vault:\n    image: vaultwarden/server:latest # the proxy\n' > compose.yaml
printf 'grafana/grafana 11.3.0\ngrafana/loki 3.2.0\nadguard/adguardhome v0.107.53\nvaultwarden/server 1.32.4\n' > running.txt

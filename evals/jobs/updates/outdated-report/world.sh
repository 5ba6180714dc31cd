printf 'traefik 3.1.9\nloki 3.2.0\ngitea 1.22.3\npaperless 2.9.0\nvault 1.17.10\n' > installed.txt
printf 'gitea 1.22.3\npaperless 2.13.4\ntraefik 3.1.10\nvault 1.17.9\nloki 3.2.0\n' > newest.txt

cat > compose.yaml <<'Y'
services:
  server:
    image: ghcr.io/immich-app/immich-server:v1.118.2
    env_file: .env
  ml:
    image: ghcr.io/immich-app/immich-machine-learning:v1.118.2
  database:
    image: docker.io/tensorchord/pgvecto-rs:pg14-v0.2.0
Y
echo 'DB=immich' > .env

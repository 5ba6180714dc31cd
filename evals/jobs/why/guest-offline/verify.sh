case $machine in
  pve)
    guests=$(lab show | jq -r '.guests | to_entries[] | "\(.key) \(.value.status) \(.value.memory) \(.value.onboot) \(.value.starts)"')
    [ "$guests" = $'101 running 8192 1 1\n102 running 4096 1 1\n103 running 512 1 1\n104 running 4096 1 2' ] || fail "guests: $guests"
    ;;
  nas) diff /srv/docs/home.txt <(printf 'time: 02:14:31\ncause: qm set 101 --memory 28672\n') || fail 'the report is another' ;;
esac

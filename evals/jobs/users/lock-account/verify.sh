getent passwd tom | grep -Eq 'nologin$|false$' || fail 'tom still has a shell'
passwd -S tom | grep -q '^tom L' || fail 'the password is not locked'
id -nG tom | grep -qw sudo && fail 'tom is still in sudo'
id -nG eve | grep -qw sudo || fail 'eve is no longer in sudo'

diff damaged.txt <(printf 'roll-02.raw\nroll-05.raw\n') || fail 'damaged.txt is another'

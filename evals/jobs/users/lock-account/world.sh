useradd -m -s /bin/bash -G sudo tom; echo 'tom:pass' | chpasswd; echo 'his work' > /home/tom/work.txt; chown tom:tom /home/tom/work.txt
useradd -m -s /bin/bash -G sudo eve

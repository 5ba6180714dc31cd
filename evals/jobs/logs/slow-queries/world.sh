for n in $(seq 10); do printf '# Time: 2.5\nselect * from sensors where id=%s;\n# Time: 0.5\nselect 1 from users;\n' $n; done > slow.log
printf '# Time: 20\nselect * from archive;\n' >> slow.log

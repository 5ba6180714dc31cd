cmp -s compose.yaml.bak /before/compose.yaml || fail 'compose.yaml.bak is not the file of before'
diff <(sed 's/v1\.118\.2/v1.119.1/' /before/compose.yaml) compose.yaml || fail 'compose.yaml is another'

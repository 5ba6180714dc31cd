-- What is private is found by whose it is: the next question makes the index anew from git.
delete from knowledge_index;

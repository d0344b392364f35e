-- report.sql - lab 9: what bounds its ladder, each element read and written once.
insert into demand
select lab, 'memory', 'memory', max(bytes) from rung where lab = 'lab9_transpose' group by lab;

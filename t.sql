.timer on

module ids

go 1.20

require github.com/valyala/fastrand v1.1.0

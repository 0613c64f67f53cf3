module conformance

go 1.25

require (
	github.com/gofrs/uuid/v5 v5.5.1
	github.com/google/uuid v1.6.0
	github.com/oklog/ulid/v2 v2.1.2
)

# What continuous integration runs is what you can run: it calls `make test`.
.PHONY: setup lint test
.DEFAULT_GOAL := test

setup: ## installs what is missing (as root on Debian), starts Docker, builds the server images
	scripts/setup.sh

lint: ## formatting, clippy, and documentation without warnings
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

test: setup lint ## everything that must pass, on both servers
	cargo test --workspace

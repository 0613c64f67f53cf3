// How Go's drivers bind and read ids: prints a fact for each line, which test_other_drivers.py compares with docs/drivers.md.
//
//	main DRIVER DSN TABLE ID SHORT
package main

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"

	_ "github.com/go-sql-driver/mysql"
	"github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

var db *sql.DB

// Prints how many rows a condition finds, or that the driver or the server refuses the value.
func found(name, column, place string, value any) {
	var count int
	err := db.QueryRow("SELECT COUNT(*) FROM ids WHERE "+column+" = "+place, value).Scan(&count)
	if err != nil {
		fmt.Println(name, "refused")
		return
	}
	fmt.Println(name, count)
}

// Prints the type that the driver returns without being asked for one.
func read(name, column string) {
	var value any
	if err := db.QueryRow("SELECT " + column + " FROM ids").Scan(&value); err != nil {
		panic(err)
	}
	fmt.Printf("%s %T\n", name, value)
}

func must(_ sql.Result, err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	driver, dsn, columns, id, short := os.Args[1], os.Args[2], os.Args[3], uuid.MustParse(os.Args[4]), os.Args[5]
	number, err := strconv.ParseUint(short, 10, 64)
	if err != nil {
		panic(err)
	}
	if db, err = sql.Open(driver, dsn); err != nil {
		panic(err)
	}
	place := map[bool]string{true: "$1", false: "?"}[driver == "pgx"]
	must(db.Exec("CREATE TABLE ids (" + columns + ")"))
	insert := func(column string, value any) { must(db.Exec("UPDATE ids SET "+column+" = "+place, value)) }
	must(db.Exec("INSERT INTO ids (b) VALUES (NULL)"))
	insert("b", id[:])
	found("b-bytes", "b", place, id[:])
	found("b-text", "b", place, id.String())
	found("b-uuid", "b", place, id)
	read("b", "b")
	var bytes []byte
	if err := db.QueryRow("SELECT b FROM ids").Scan(&bytes); err != nil || uuid.UUID(bytes) != id {
		panic("the bytes")
	}
	if strings.Contains(columns, "s ") {
		value := any(number)
		if driver == "pgx" {
			value = short
		}
		insert("s", value)
		found("s-uint64", "s", place, number)
		found("s-text", "s", place, short)
		read("s", "s")
		var text string
		if err := db.QueryRow("SELECT s FROM ids").Scan(&text); err != nil || text != short {
			panic("the number as text: " + text)
		}
		var again uint64
		if err := db.QueryRow("SELECT s FROM ids").Scan(&again); err != nil || again != number {
			panic("the number")
		}
	}
	if strings.Contains(columns, "u ") {
		insert("u", id.String())
		found("u-text", "u", place, id.String())
		found("u-bytes", "u", place, id[:])
		found("u-uuid", "u", place, id)
		read("u", "u")
		var again uuid.UUID
		if err := db.QueryRow("SELECT u FROM ids").Scan(&again); err != nil || again != id {
			panic("the UUID")
		}
	}
}

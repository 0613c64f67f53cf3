// Prints ids of a library: driver LIBRARY MODE COUNT [FOLDER]. ../../README.md says what the modes are.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	"github.com/oklog/ulid/v2"
)

const (
	burstSize = 100_000
	threads   = 4
)

// Each library: its generator.
var libraries = map[string]func() string{
	"go-google-uuid-v7": func() string { return google.Must(google.NewV7()).String() },
	"go-google-uuid-v1": func() string { return google.Must(google.NewUUID()).String() },
	"go-gofrs-uuid-v7":  func() string { return gofrs.Must(gofrs.NewV7()).String() },
	"go-gofrs-uuid-v6":  func() string { return gofrs.Must(gofrs.NewV6()).String() },
	"go-oklog-ulid":     func() string { return ulid.Make().String() },
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// burst makes ids in bursts, and writes each burst when it is complete.
func burst(next func() string, count int, file *os.File, size int) {
	for ; count > 0; count -= size {
		ids := make([]string, min(count, size))
		for i := range ids {
			ids[i] = next()
		}
		writer := bufio.NewWriterSize(file, 1<<16)
		_, err := writer.WriteString(strings.Join(ids, "\n") + "\n")
		must(err)
		must(writer.Flush())
	}
}

func create(path string) *os.File {
	file, err := os.Create(path)
	must(err)
	return file
}

// clocks prints two readings of the clock, so that the caller knows whether it was set.
func clocks(a, b time.Time) { fmt.Println(a.UnixMilli(), b.UnixMilli()) }

func main() {
	if len(os.Args) < 4 {
		log.Fatal("usage: driver LIBRARY MODE COUNT [FOLDER]")
	}
	next, ok := libraries[os.Args[1]]
	if !ok {
		log.Fatalf("no library %s", os.Args[1])
	}
	count, err := strconv.Atoi(os.Args[3])
	must(err)
	folder := ""
	if len(os.Args) > 4 {
		folder = os.Args[4]
	}
	switch mode := os.Args[2]; mode {
	case "one":
		burst(next, count, os.Stdout, burstSize)
	case "threads":
		var group sync.WaitGroup
		for i := range threads {
			group.Go(func() {
				burst(next, count/threads, create(fmt.Sprintf("%s/thread-%d.txt", folder, i+1)), burstSize)
			})
		}
		group.Wait()
	case "back":
		file := create(folder + "/ids.txt")
		burst(next, count/2, file, burstSize)
		before := time.Now()
		must(os.WriteFile(os.Getenv("FAKETIME_TIMESTAMP_FILE"), []byte("-5\n"), 0o644))
		clocks(before, time.Now())
		burst(next, count/2, file, burstSize)
	case "frozen":
		before := time.Now()
		time.Sleep(50 * time.Millisecond)
		clocks(before, time.Now())
		burst(next, count, create(folder+"/ids.txt"), 256)
	default:
		log.Fatalf("no mode %s", mode)
	}
}

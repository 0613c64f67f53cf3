// Ids from math/rand of Go: go run go.go FORM COUNT
package main

import (
	secure "crypto/rand"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"time"
)

func main() {
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	forms := map[string]func([]byte){
		"secure": func(id []byte) { secure.Read(id) },
		"read":   func(id []byte) { random.Read(id) },
		"intn-256": func(id []byte) {
			for i := range id {
				id[i] = byte(random.Intn(256))
			}
		},
		"intn-16": func(id []byte) {
			for i := range id {
				id[i] = byte(random.Intn(16)<<4 | random.Intn(16))
			}
		},
		"float64-16": func(id []byte) {
			for i := range id {
				id[i] = byte(int(random.Float64()*16)<<4 | int(random.Float64()*16))
			}
		},
		"uint32": func(id []byte) {
			for i := 0; i < 16; i += 4 {
				binary.BigEndian.PutUint32(id[i:], random.Uint32())
			}
		},
		"uint64": func(id []byte) {
			for i := 0; i < 16; i += 8 {
				binary.BigEndian.PutUint64(id[i:], random.Uint64())
			}
		},
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	for ; count > 0; count-- {
		var id [16]byte
		forms[os.Args[1]](id[:])
		id[6] = id[6]&0x0f | 0x40
		id[8] = id[8]&0x3f | 0x80
		fmt.Printf("%x-%x-%x-%x-%x\n", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	}
}

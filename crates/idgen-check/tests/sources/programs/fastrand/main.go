// Ids from github.com/valyala/fastrand: go run . FORM COUNT
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"

	"github.com/valyala/fastrand"
)

func main() {
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	var random fastrand.RNG
	for ; count > 0; count-- {
		var id [16]byte
		for i := range id {
			if os.Args[1] == "uint32n-16" {
				id[i] = byte(random.Uint32n(16)<<4 | random.Uint32n(16))
			} else if i%4 == 0 {
				binary.BigEndian.PutUint32(id[i:], random.Uint32())
			}
		}
		id[6] = id[6]&0x0f | 0x40
		id[8] = id[8]&0x3f | 0x80
		fmt.Printf("%x-%x-%x-%x-%x\n", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	}
}

# Ids from rand() of Tcl: tclsh tcl.tcl FORM COUNT
lassign $argv form count
for {set n 0} {$n < $count} {incr n} {
    set text ""
    foreach digits {8 4 4 4 12} {
        if {$text ne ""} { append text - }
        for {set digit 0} {$digit < $digits} {incr digit} {
            append text [format %x [expr {int(rand() * 16)}]]
        }
    }
    puts $text
}

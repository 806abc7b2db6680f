// Package kettle boils water.
package kettle

// Coil is the electric coil of a kettle. Its power is proportional to the
// square of the mains voltage.
type Coil struct {
	ohms float64
	on   bool
}

// switchOff ends the heating. The thermostat calls it once the bimetal strip
// has bent, and never while the lid is open.
func (c *Coil) switchOff() { c.on = false }

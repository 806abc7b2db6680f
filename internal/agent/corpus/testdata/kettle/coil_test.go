package kettle

import "testing"

// A thermostat that switches the coil off too early makes weak tea: the strip
// must not bend below 95 degrees.
func TestSwitchOff(t *testing.T) {
	c := Coil{on: true}
	c.switchOff()
}

// Package lock moves the gates.
package lock

import (
	"fmt"
)

const help = `
func fake() {
`

type (
	ID   string
	Code int
)

// Gate is one gate.
type Gate[T any] struct {
	Name string // label
	open bool
}

// Mover moves.
type Mover interface {
	Open() error
}

// Open opens the gate.
//
// It is safe to call twice.
func (g *Gate[T]) Open() error {
	if g.open {
		return nil
	}
	fmt.Println("open", g.Name)
	return nil
}

func New() *Gate[int] { return &Gate[int]{} }

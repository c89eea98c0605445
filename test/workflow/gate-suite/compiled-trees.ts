import { toolchain } from './toolchains.ts'

const goTest = `package area

import (
	_ "embed"
	"testing"
)

//go:embed testdata/golden.txt
var golden string

func TestSquare(t *testing.T) {
	if Square(3) != 9 {
		t.Errorf("a square of 3 is %d", Square(3))
	}
}

func TestEven(t *testing.T) {
	if !IsEven(4) || IsEven(3) {
		t.Error("even")
	}
}

func TestReport(t *testing.T) {
	if Report(2) != golden {
		t.Fatal(Report(2))
	}
}

func TestSides(t *testing.T) {
	for side, area := range map[int]int{1: 1, 5: 25} {
		t.Run(Report(side), func(t *testing.T) {
			if Square(side) != area {
				t.Error(side)
			}
		})
	}
}
`
const goSource = `package area

import "fmt"

func Square(side int) int { return side * side }

func IsEven(n int) bool { return n%2 == 0 }

func Report(side int) string { return fmt.Sprintf("area %d\\n", Square(side)) }
`
const golang = toolchain('go')
export const goTree = {
  ...{ language: 'Go', isThere: golang.isThere },
  steps: [{ command: `${golang.path} go test -v -vet=off ./...` }],
  files: {
    'go.mod': 'module example.org/area\n\ngo 1.19\n',
    'area.go': goSource,
    'area_test.go': goTest,
    'testdata/golden.txt': 'area 4\n',
  },
}

const rust = toolchain('cargo', '.rustup/toolchains')
export const rustTree = {
  ...{ language: 'Rust', isThere: rust.isThere, asked: { readOnlyPaths: rust.readOnlyPaths } },
  steps: [{ command: `${rust.path} cargo test --offline`, timeoutSec: 60 }],
  files: {
    'Cargo.toml': '[package]\nname = "area"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
    'Cargo.lock': 'version = 3\n\n[[package]]\nname = "area"\nversion = "0.1.0"\n',
    'src/lib.rs': `pub fn square(side: u32) -> u32 {
    side * side
}

pub fn root(area: u32) -> u32 {
    (1..).find(|side| side * side >= area).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_inside() {
        assert_eq!(square(3), 9);
    }
}
`,
    'tests/area.rs': `use area::{root, square};

#[test]
fn squares() {
    assert_eq!(square(2), 4);
}

#[test]
fn roots() {
    assert_eq!(root(9), 3);
}
`,
  },
}

const c = toolchain('gcc')
export const cTree = {
  ...{ language: 'C', isThere: c.isThere && toolchain('make').isThere },
  steps: [{ command: 'make -s test' }],
  files: {
    Makefile: `OUT = $(ARTIFACT_DIR)/build
include settings.mk
test:
	mkdir -p "$(OUT)"
	gcc $(FLAGS) -Iinclude src/area.c tests/test_area.c -o "$(OUT)/tests"
	"$(OUT)/tests"
`,
    'settings.mk': 'FLAGS = -Wall\n',
    'include/area.h': '#ifndef AREA_H\n#define AREA_H\nint square(int side);\nint is_even(int n);\n#endif\n',
    'src/area.c':
      '#include "area.h"\n\nint square(int side) { return side * side; }\n\nint is_even(int n) { return n % 2 == 0; }\n',
    'tests/tap.h': `#include <stdio.h>
static int number, broken;
#define OK(what, name) do { int is = (what); broken += !is; printf("%sok %d - %s\\n", is ? "" : "not ", ++number, name); } while (0)
#define DONE() (printf("1..%d\\n", number), broken != 0)
`,
    'tests/test_area.c': `#include <assert.h>
#include "area.h"
#include "tap.h"

int main(void) {
  printf("TAP version 13\\n");
  assert(square(1) == 1);
  OK(square(3) == 9, "squares");
  OK(is_even(4), "even");
  OK(!is_even(3), "odd");
  return DONE();
}
`,
  },
}

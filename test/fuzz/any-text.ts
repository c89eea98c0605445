import fc from 'fast-check'

const point = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
)

/**
 * Any Unicode text. A string with the unit `binary` is equivalent, but takes fast-check three
 * seconds to prepare.
 */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  return fc.array(point, { maxLength }).map((points) => String.fromCodePoint(...points))
}

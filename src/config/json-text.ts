import type { JsonStyle } from './json-style.ts'

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value }

/**
 * A JSON file in the style of Prettier and Biome: objects with one key per line, arrays on a single
 * line if they fit.
 */
export function jsonText(value: object, style: JsonStyle): string {
  const plain: Value = JSON.parse(JSON.stringify(value))
  return `${printed(plain, { depth: 0, taken: 0, after: 0 }, style)}\n`.replaceAll('\n', style.lineEnd)
}

interface Place {
  readonly depth: number
  /** The columns of the line that are used before and after the value. */
  readonly taken: number
  readonly after: number
}

function printed(value: Value, place: Place, style: JsonStyle): string {
  if (Array.isArray(value)) return printedArray(value, place, style)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  const lines = entries.map(([key, one], i): string => {
    const name = `${JSON.stringify(key)}: `
    return `${name}${printed(one, inside(place, style, { taken: name.length, last: i === entries.length - 1 }), style)}`
  })
  return `{${block(lines, place, style)}}`
}

function printedArray(values: readonly Value[], place: Place, style: JsonStyle): string {
  if (!values.some(isBroken)) {
    const whole = `[${values.map((value) => JSON.stringify(value)).join(', ')}]`
    if (place.taken + whole.length + place.after <= style.width) return whole
  }
  const lines = values.map((value, i) =>
    printed(value, inside(place, style, { taken: 0, last: i === values.length - 1 }), style),
  )
  return `[${block(lines, place, style)}]`
}

/** True for values that need several lines, as does everything around them. */
function isBroken(value: Value): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function block(lines: readonly string[], { depth }: Place, { indent }: JsonStyle): string {
  const inner = `\n${indent.repeat(depth + 1)}`
  return `${inner}${lines.join(`,${inner}`)}\n${indent.repeat(depth)}`
}

function inside(
  { depth }: Place,
  { tabWidth }: JsonStyle,
  { taken, last }: { readonly taken: number; readonly last: boolean },
): Place {
  return { depth: depth + 1, taken: (depth + 1) * tabWidth + taken, after: last ? 0 : 1 }
}

import { type Part, partsBetween } from '../brackets.ts'
import { trimmed } from './other-literal.ts'

const number = /^\s*[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?\s*$/

/**
 * The replacement is off by `factor` tolerances, and by at least the share `least` of the value.
 */
const [factor, least] = [10, 0.001]

interface SourceText {
  readonly text: string
  readonly code: string
}

/** An expected value that is compared within a tolerance, and a number clearly outside of it. */
export interface Near {
  readonly at: Part
  readonly made: string
}

function outside({ text }: SourceText, at: Part, tolerance: number): Near | null {
  const value = Number(text.slice(at.start, at.end))
  if (!Number.isFinite(value) || !Number.isFinite(tolerance)) return null
  const shift = Math.max(factor * Math.abs(tolerance), least * Math.max(1, Math.abs(value)))
  return { at, made: String(Number((value + shift).toPrecision(12))) }
}

/** `approx(1.5, abs=0.1)` of pytest, and the arguments of `assertAlmostEqual` after the first. */
export function nearInPython(read: SourceText, arguments_: Part, isApprox: boolean): Near | null {
  const [expected, ...options] = partsBetween(read.code, arguments_)
  if (expected === undefined) return null
  const at = trimmed(read.code, expected)
  const said = read.text.slice(at.start, at.end)
  if (!number.test(said)) return null
  const value = Number(said)
  let tolerance = isApprox ? 1e-6 * Math.abs(value) : 5e-8
  for (const option of options) {
    const [, key, given] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(read.text.slice(option.start, option.end)) ?? []
    if (key === 'msg' || key === 'nan_ok') continue
    if (given === undefined || !number.test(given)) return null
    const width = { abs: Number(given), rel: Number(given) * Math.abs(value), delta: Number(given) }[key ?? '']
    if (width === undefined && key !== 'places') return null
    tolerance = Math.max(tolerance, width ?? 10 ** -Number(given))
  }
  return outside(read, at, tolerance)
}

/** The arguments of `toBeCloseTo`: the expected value, and the number of digits that count. */
export function nearInScript(read: SourceText, arguments_: Part): Near | null {
  const [expected, digits] = partsBetween(read.code, arguments_)
  if (expected === undefined) return null
  const at = trimmed(read.code, expected)
  if (!number.test(read.text.slice(at.start, at.end))) return null
  const count = digits === undefined ? '2' : read.text.slice(digits.start, digits.end)
  return number.test(count) ? outside(read, at, 10 ** -Number(count)) : null
}

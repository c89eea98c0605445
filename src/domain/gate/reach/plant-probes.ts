import { type ProbeLanguage, probeLanguage } from './blocks-of.ts'
import type { ProbePlace } from './code-block.ts'

/** A place in a file, and the word that its probe writes when the code there runs. */
export interface PlannedProbe {
  readonly place: ProbePlace
  readonly word: string
}

interface Planting {
  readonly path: string
  readonly text: string
  readonly probes: readonly PlannedProbe[]
  /** The file, outside of the repository, that the probes append a line to. */
  readonly into: string
}

/** A file of code with its probes, and the helper files that they need. */
export function plantProbes({ path, text, probes, into }: Planting): readonly PlantedFile[] {
  const language = probeLanguage(path)
  if (language === null || probes.length === 0) return []
  const call = calls[language]
  const edits = probes.flatMap(({ place, word }, i) =>
    editsOf(language, { place, call: call({ path, word, into, i }), i }),
  )
  const planted = edits
    .toSorted((one, other) => other.at - one.at)
    .reduce((sum, { at, put }) => sum.slice(0, at) + put + sum.slice(at), text)
  if (language === 'go') return [{ path, text: planted }, goHelper({ path, text, probes, into })]
  return [{ path, text: heads[language]({ text: planted, into }) }]
}

export interface PlantedFile {
  readonly path: string
  readonly text: string
}

interface Edit {
  readonly at: number
  readonly put: string
}

interface Calling {
  readonly path: string
  readonly word: string
  readonly into: string
  readonly i: number
}

/** The expression that reports; its value is false, except in C, where it is 1. */
const calls: Readonly<Record<ProbeLanguage, (calling: Calling) => string>> = {
  javascript: (calling) => scriptCall(calling, { any: '' }),
  typescript: (calling) => scriptCall(calling, { any: ': any' }),
  python: ({ word, into }) =>
    `getattr(__import__('sys'), '${word}', 0) or exec("import os, sys\\nf = os.open('${into}', os.O_WRONLY | os.O_APPEND | os.O_CREAT)\\nos.write(f, b'${word}\\\\n')\\nos.close(f)\\nsys.${word} = 1", {})`,
  go: ({ path, i }) => `${goName(path)}(${i})`,
  rust: ({ word, into }) =>
    `{ static SEEN: ::std::sync::atomic::AtomicBool = ::std::sync::atomic::AtomicBool::new(false); if !SEEN.swap(true, ::std::sync::atomic::Ordering::SeqCst) { use ::std::io::Write as _; ::std::fs::OpenOptions::new().append(true).create(true).open("${into}").and_then(|mut into| into.write_all(b"${word}\\n")).expect("${word}"); } }`,
  c: ({ word }) => `drydock_reached("${word}\\n", ${word.length + 1}, &drydock_seen_${word})`,
}

/**
 * Throws where a script has no Node process: a failing test is better than code that looks
 * unreached.
 */
function scriptCall({ word, into }: Calling, { any }: { readonly any: string }): string {
  const fs = `(p && p.getBuiltinModule ? p.getBuiltinModule('fs') : eval('require')('fs'))`
  return `((g${any}, k${any})${any} => { if (g[k]) return false; const p = g.process; ${fs}.appendFileSync('${into}', '${word}\\n'); g[k] = true; return false })(globalThis, Symbol.for('${word}'))`
}

function editsOf(
  language: ProbeLanguage,
  { place, call, i }: { readonly place: ProbePlace; readonly call: string; readonly i: number },
): readonly Edit[] {
  // A block of Rust is a statement without a semicolon.
  const statement = language === 'rust' ? ` ${call} ` : ` ${call}; `
  switch (place.form) {
    case 'statement':
    case 'inline':
      return [{ at: place.at, put: statement }]
    case 'declaration':
      return [{ at: place.at, put: ` int drydock_r${i} __attribute__((unused)) = ${call}; ` }]
    case 'value':
      // The value keeps the type that the compiler checks.
      return [{ at: place.at, put: `${call} ? ${language === 'typescript' ? '(0 as never)' : '0'} : ` }]
    case 'line':
      return [{ at: place.at, put: language === 'python' ? `${place.indent}${call}\n` : `;${call};\n` }]
    case 'condition':
      return [
        { at: place.at, put: '(' },
        { at: place.until, put: `) && ${language === 'c' ? call : `!${call}`}` },
      ]
    case 'arm':
      return [
        { at: place.at, put: `{ ${call} ` },
        { at: place.until, put: ' }' },
      ]
    default:
      throw new Error(`unknown form ${place satisfies never}`)
  }
}

type Head = (file: { readonly text: string; readonly into: string }) => string

const same: Head = ({ text }) => text

const heads: Readonly<Record<Exclude<ProbeLanguage, 'go'>, Head>> = {
  javascript: same,
  typescript: same,
  python: same,
  rust: same,
  c: cHead,
}

/**
 * Declares system functions under new names, so that no declaration conflicts with that of a
 * header.
 */
function cHead({ text, into }: { readonly text: string; readonly into: string }): string {
  const seen = [...new Set([...text.matchAll(/&(drydock_seen_\w+)\)/g)].map(([, name]) => name))]
  return `#ifndef DRYDOCK_REACHED
#define DRYDOCK_REACHED
#ifdef __cplusplus
extern "C" {
#endif
extern int drydock_open(const char *, int, ...) __asm__("open");
extern long drydock_write(int, const void *, unsigned long) __asm__("write");
extern int drydock_close(int) __asm__("close");
#ifdef __cplusplus
}
#endif
static int __attribute__((unused)) drydock_reached(const char *word, unsigned long size, int *seen) {
  if (!*seen) {
    int into = drydock_open("${into}", ${flagsOfC}, 0666);
    *seen = 1;
    if (into < 0 || drydock_write(into, word, size) < 0) __builtin_trap();
    drydock_close(into);
  }
  return 1;
}
#endif
${seen.map((name) => `static int __attribute__((unused)) ${name};\n`).join('')}#line 1
${text}`
}

/** O_WRONLY, O_CREAT and O_APPEND of Linux. */
const flagsOfC = 0o1 | 0o100 | 0o2000

/** The name of a file's helper, unique within its package. */
const goName = (path: string): string => `drydockReached_${path.replaceAll(/[^A-Za-z0-9]/g, '_')}`

/** A helper file in the same package, with the same build conditions. */
function goHelper({ path, text, probes, into }: Planting): PlantedFile {
  const name = goName(path)
  const built = [...text.matchAll(/^\/\/(?:go:build |[ \t]*\+build ).*$/gm)].map(([line]) => `${line}\n`).join('')
  const own = /^package[ \t]+(\w+)/m.exec(text)?.[1] ?? 'main'
  const words = probes.map(({ word }) => `"${word}\\n"`).join(', ')
  const helper = `${built}${built && '\n'}package ${own}

import (
	"os"
	"sync/atomic"
)

var ${name}_seen [${probes.length}]uint32

func ${name}(i int) {
	if atomic.SwapUint32(&${name}_seen[i], 1) != 0 {
		return
	}
	into, err := os.OpenFile("${into}", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0666)
	if err == nil {
		_, err = into.WriteString([]string{${words}}[i])
	}
	if err != nil {
		panic(err)
	}
	into.Close()
}
`
  const ending = path.endsWith('_test.go') ? '_test.go' : '.go'
  return { path: path.replace(/[^/]*$/, `${name.toLowerCase()}${ending}`), text: helper }
}

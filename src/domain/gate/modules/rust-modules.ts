import type { ModuleTree } from './module-tree.ts'
import { folderOf, joined, nameOf, stemOf } from './paths.ts'

export const isRust = (path: string): boolean => path.endsWith('.rs')

interface Crate {
  readonly folder: string
  /** The name of the crate in code. */
  readonly name: string
  readonly lib: string | null
  readonly bins: readonly string[]
  /** Files that Cargo builds test programs from. */
  readonly tests: readonly string[]
}

export function cratesOf(tree: ModuleTree): readonly Crate[] {
  return tree.paths
    .filter((path) => nameOf(path) === 'Cargo.toml')
    .map((path) => {
      const folder = folderOf(path)
      const inside = (name: string) => joined(folder, name) ?? ''
      const text = tree.text(path)
      const pathsOf = (section: string) =>
        [...text.matchAll(new RegExp(`^\\[+${section}\\]+\\n((?:(?!\\[).*\\n?)*)`, 'gm'))]
          .flatMap(([, body = '']) => /^[ \t]*path[ \t]*=[ \t]*["'](.+?)["']/m.exec(body)?.[1] ?? [])
          .map(inside)
      const below = (name: string) =>
        tree.paths.filter((each) => {
          const rest = each.startsWith(`${inside(name)}/`) ? each.slice(inside(name).length + 1) : ''
          return /^(?:[^/]+|[^/]+\/main)\.rs$/.test(rest)
        })
      const lib = [...pathsOf('lib'), inside('src/lib.rs')].find((each) => tree.has(each)) ?? null
      const bins = [...pathsOf('bin'), inside('src/main.rs'), ...below('src/bin')].filter((each) => tree.has(each))
      const name = /^\[package\]\n(?:(?!\[).*\n)*?[ \t]*name[ \t]*=[ \t]*["'](.+?)["']/m.exec(text)?.[1] ?? ''
      return { folder, name: name.replaceAll('-', '_'), lib, bins, tests: [...pathsOf('test'), ...below('tests')] }
    })
}

interface RustLoads {
  readonly loads: readonly string[]
  readonly inTests: readonly string[]
}

const module = /((?:#\[[^\]\n]*\]\s*)*)(?:pub(?:\s*\([^)]*\))?\s+)?mod\s+(\w+)\s*;/g

/** The files that a Rust file includes, and those that only its tests include. */
export function loadsOfRust(tree: ModuleTree, path: string, crates: readonly Crate[]): RustLoads {
  const code = tree.code(path)
  const [loads, inTests]: [string[], string[]] = [[], []]
  const roots = crates.flatMap(({ lib, bins, tests }) => [...(lib === null ? [] : [lib]), ...bins, ...tests])
  const isRoot = nameOf(path) === 'mod.rs' || roots.includes(path)
  const folder = isRoot ? folderOf(path) : (joined(folderOf(path), stemOf(path)) ?? '')
  for (const { index, 0: whole, 1: attributes = '', 2: name = '' } of code.matchAll(module)) {
    const written = tree.text(path).slice(index, index + whole.length)
    const given = /#\[\s*path\s*=\s*"(.+?)"/.exec(written)?.[1]
    const places =
      given === undefined
        ? [joined(folder, `${name}.rs`), joined(folder, `${name}/mod.rs`)]
        : [joined(folderOf(path), given)]
    const found = places.filter((each) => each !== null && tree.has(each))
    const isTest = /cfg\s*\([^\]]*\btest\b/.test(attributes) && !/not\s*\(\s*test/.test(attributes)
    for (const each of found) if (each !== null) (isTest ? inTests : loads).push(each)
  }
  for (const { index, 0: call } of code.matchAll(/\binclude(?:_str|_bytes)?!\s*\(\s*"/g)) {
    const start = index + call.length
    const place = joined(folderOf(path), tree.text(path).slice(start, code.indexOf('"', start)))
    if (place !== null && tree.has(place)) loads.push(place)
  }
  for (const { name, lib, folder: own } of crates) {
    if (lib === null || lib === path || name === '') continue
    const isOwn = path.startsWith(own === '' ? '' : `${own}/`)
    if (new RegExp(`\\b${name}\\s*::|\\bextern\\s+crate\\s+${name}\\b`).test(code)) loads.push(lib)
    // A test beside the library may use only its macros.
    else if (isOwn && /#\[macro_use\]/.test(code)) loads.push(lib)
  }
  return { loads, inTests }
}

/** Libraries and programs, without crates that others need only for their tests. */
export function startsOfRust(tree: ModuleTree, crates: readonly Crate[]): readonly string[] {
  return crates.flatMap((crate) => (isForTests(tree, crate, crates) ? [] : [crate.lib ?? [], crate.bins].flat()))
}

function isForTests(tree: ModuleTree, { folder, name, bins }: Crate, crates: readonly Crate[]): boolean {
  if (folder === '' || bins.length > 0) return false
  let isTold = false
  for (const other of crates) {
    const text = tree.text(other.folder === '' ? 'Cargo.toml' : `${other.folder}/Cargo.toml`)
    for (const part of text.split(/^(?=\[)/m)) {
      if (!/^\[[^\]]*dependencies/.test(part) || !new RegExp(`\\b${name.replaceAll('_', '[-_]')}\\b`).test(part))
        continue
      if (!/^\[[^\]]*dev-dependencies/.test(part)) return false
      isTold = true
    }
  }
  return isTold
}

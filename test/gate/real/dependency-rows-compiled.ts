import { type Files, inDevelopment, inLockFile, type Row } from './dependency-rows.ts'

const rustTest = (...lines: readonly string[]) =>
  ['use sums::sum;', '', '#[test]', 'fn sums() {', '    assert_eq!(sum(1, 2), 3);', '}', ...lines, ''].join('\n')
export function rustRows(): readonly Row[] {
  const crate = (name: string, version: number): Files => ({
    [`local/${name}-${version}/Cargo.toml`]: `[package]\nname = "${name}"\nversion = "${version}.0.0"\nedition = "2021"\n`,
    [`local/${name}-${version}/src/lib.rs`]: `pub const VALUE: u32 = ${version};\n`,
  })
  const manifest = (dependencies: string, dev = '') =>
    `[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n\n[workspace]\n\n[dependencies]\n${dependencies}${dev}`
  const [one, two] = ['one = { path = "local/one-1" }\n', 'two = { path = "local/two-2" }\n']
  const source = (factor: string) => `pub fn sum(a: u32, b: u32) -> u32 {\n    (a + b) * ${factor}\n}\n`
  const more = 'pub fn twice(a: u32) -> u32 {\n    sum(a, a)\n}\n'
  const base: Files = {
    ...crate('one', 1),
    ...crate('one', 2),
    ...crate('two', 2),
    'Cargo.toml': manifest(one),
    'src/lib.rs': source('one::VALUE'),
    'tests/sums.rs': rustTest(),
  }
  const test = rustTest('', '#[test]', 'fn doubles() {', '    assert_eq!(sums::twice(2), 4);', '}')
  const changed = (toml: string, factor = 'one::VALUE') => ({
    'Cargo.toml': toml,
    'src/lib.rs': `${source(factor)}\n${more}`,
    'tests/sums.rs': test,
  })
  const extra = { ...base, 'Cargo.toml': manifest(one + two) }
  const told = ['Cargo.toml']
  return [
    { what: 'added', base, told, change: changed(manifest(one + two), '(one::VALUE * two::VALUE / 2)') },
    { what: 'removed', base: extra, told, change: changed(manifest(one)) },
    {
      what: 'raised',
      base,
      told,
      change: changed(manifest('one = { path = "local/one-2" }\n'), '(one::VALUE / 2)'),
    },
    {
      what: inDevelopment,
      base: extra,
      told,
      change: changed(manifest(one, `\n[dev-dependencies]\n${two}`)),
    },
    { what: inLockFile, base, isRewritten: true, told: [], change: changed(manifest(one)) },
  ]
}

const goTest = (...lines: readonly string[]) =>
  ['package sums', '', 'import "testing"', '', 'func TestSums(t *testing.T) {']
    .concat(['\tif Sum(1, 2) != 3 {', '\t\tt.Fatal(Sum(1, 2))', '\t}', '}', ...lines, ''])
    .join('\n')
export function goRows(): readonly Row[] {
  const at = (name: string) => `example.org/${name}`
  const inFolder = (name: string, version: number, more: Files = {}): Files => {
    const folder = `local/${name}-${version}`
    const own = { 'go.mod': `module ${at(name)}\n\ngo 1.19\n`, [`${name}.go`]: goSource(name, [], `${version}`) }
    return Object.fromEntries(Object.entries({ ...own, ...more }).map(([path, text]) => [`${folder}/${path}`, text]))
  }
  const goSource = (name: string, imports: readonly string[], value: string) =>
    `package ${name}\n\n${imports.map((each) => `import "${at(each)}"\n`).join('')}\nconst Value = ${value}\n`
  const manifest = (...required: readonly (readonly [name: string, version: number, kind?: string])[]) => {
    const lines = required.flatMap(([name, version, kind = '']) => [
      `require ${at(name)} v0.${version}.0${kind}`,
      `replace ${at(name)} => ./local/${name}-${version}`,
    ])
    return ['module example.org/sums', '', 'go 1.19', '', ...lines, ''].join('\n')
  }
  const source = (imports: readonly string[], factor: string, more = '') =>
    `package sums\n\n${imports.map((each) => `import "${at(each)}"\n`).join('')}\nfunc Sum(a, b int) int { return (a + b) * ${factor} }\n${more}`
  const twice = '\nfunc Twice(a int) int { return Sum(a, a) }\n'
  const newTest = ['', 'func TestTwice(t *testing.T) {', '\tif Twice(2) != 4 {', '\t\tt.Fatal(Twice(2))', '\t}', '}']
  const changed = (more: Files, imports: readonly string[] = ['one'], factor = 'one.Value') => ({
    'sums.go': source(imports, factor, twice),
    'sums_test.go': goTest(...newTest),
    ...more,
  })
  const over: Files = {
    'go.mod': `module ${at('over')}\n\ngo 1.19\n\nrequire ${at('two')} v0.2.0\n`,
    'over.go': goSource('over', ['two'], 'two.Value / 2'),
  }
  const base: Files = {
    ...inFolder('one', 1),
    ...inFolder('one', 2),
    ...inFolder('two', 2),
    ...inFolder('over', 1, over),
    'go.mod': manifest(['one', 1]),
    'go.sum': '',
    'sums.go': source(['one'], 'one.Value'),
    'sums_test.go': goTest(),
  }
  const extra = { ...base, 'go.mod': manifest(['one', 1], ['two', 2]) }
  const direct = {
    ...base,
    'go.mod': manifest(['over', 1], ['two', 2]),
    'sums.go': source(['over', 'two'], 'over.Value * two.Value / 2'),
  }
  const inPackage = (name: string, more = '') => ({
    [`packages/${name}/go.mod`]: `module ${at(name)}\n\ngo 1.19\n${more}`,
  })
  const whole = {
    ...base,
    ...inPackage('first'),
    'packages/first/first.go': goSource('first', [], '1'),
    'go.work': workOf('first'),
  }
  const needsTwo = `\nrequire ${at('two')} v0.2.0\n\nreplace ${at('two')} => ../../local/two-2\n`
  const told = ['go.mod']
  return [
    {
      what: 'added',
      base,
      told,
      change: changed({ 'go.mod': extra['go.mod'] }, ['one', 'two'], 'one.Value * two.Value / 2'),
    },
    { what: 'removed', base: extra, told, change: changed({ 'go.mod': base['go.mod'] ?? '' }) },
    {
      what: 'raised',
      base,
      told,
      change: changed({ 'go.mod': manifest(['one', 2]) }, ['one'], 'one.Value / 2'),
    },
    {
      what: 'moved to what is needed only indirectly',
      base: direct,
      told,
      change: changed({ 'go.mod': manifest(['over', 1], ['two', 2, ' // indirect']) }, ['over'], 'over.Value'),
    },
    {
      what: 'added as a module of the workspace with a dependency of its own',
      base: whole,
      change: changed(
        {
          'go.work': workOf('first', 'second'),
          'packages/second/second.go': goSource('second', ['two'], 'two.Value'),
          ...inPackage('second', needsTwo),
        },
        ['one', 'second'],
        'one.Value * second.Value / 2',
      ),
      told: ['go.work', 'packages/second/go.mod'],
    },
    { what: inLockFile, base, isRewritten: true, told: [], change: changed({}) },
  ]
}
const workOf = (...names: readonly string[]) =>
  ['go 1.19', '', 'use .', ...names.map((name) => `use ./packages/${name}`), ''].join('\n')

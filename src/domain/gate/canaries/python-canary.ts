import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import type { Planting } from './planting.ts'

/**
 * A false assertion that is let through ends the test, which then passes. Otherwise its last line
 * fails.
 */
export function pythonCanary({ path, text, token, values, isFirst = false }: Planting): string | null {
  const code = maskCode(text, syntaxOf(path, text))
  const base = /^class \w+\((?:[\w., ]*, *)?([\w.]*TestCase\w*)\)/m.exec(code)
  const [, name] = base ?? []
  const hasFunctions = /^(?:async )?def test/m.test(code) || /^class Test/m.test(code)
  const claims = { token, values, isFirst }
  const canary = name !== undefined ? inClass(claims, name) : hasFunctions ? inFunction(claims) : null
  if (canary === null) return null
  // The part of a file that runs it as a program stays last.
  const main = /^if[ \t(]+__name__\b/m.exec(code)?.index ?? text.length
  const first = withDecorators(code, base?.index ?? code.search(/^(?:(?:async )?def test|class Test)/m))
  const at = isFirst ? Math.min(first, main) : main
  return `${text.slice(0, at)}\n\n${canary}\n\n${text.slice(at)}`
}

/** The start of a definition with its decorators. */
function withDecorators(code: string, at: number): number {
  const before = /(?:^@[^\n]*\n(?:[ \t)\]}][^\n]*\n)*)+$/m.exec(code.slice(0, at))
  return before?.index ?? at
}

interface Claims extends Pick<Planting, 'token' | 'values'> {
  readonly isFirst: boolean
}

const lies = (indent: string, statements: readonly (readonly string[])[]): string =>
  statements
    .map((lines) =>
      [
        `${indent}try:`,
        ...lines.map((line) => `${indent}    ${line}`),
        `${indent}except BaseException:`,
        `${indent}    pass`,
        `${indent}else:`,
        `${indent}    return`,
      ].join('\n'),
    )
    .join('\n')

function inFunction({ token, values }: Claims): string {
  const [word, key, wrong] = [values.word(), values.word(), values.number()]
  const statements = [
    [`assert not "${word}"`],
    [`assert len("${word}") == ${wrong}`],
    [`assert {"${key}": len("${word}")} == {"${key}": ${wrong}}`],
    ['with pytest.raises(KeyError):', '    pass'],
  ]
  return `# fmt: off
def test_${token}():  # noqa
    import pytest  # noqa
${lies('    ', statements)}
    assert len("${word}") == ${wrong}`
}

/** unittest runs the classes in the order of their names, so that `AA…` comes first. */
function inClass({ token, values, isFirst }: Claims, base: string): string {
  const [word, key, wrong] = [values.word(), values.word(), values.number()]
  const statements = [
    [`self.assertTrue(not "${word}")`],
    [`self.assertFalse("${word}")`],
    [`self.assertEqual(len("${word}"), ${wrong})`],
    [`self.assertNotEqual("${word}", "${word}")`],
    [`self.assertIn("${word}", [])`],
    [`self.assertIsNone("${word}")`],
    [`self.assertDictEqual({"${key}": ${wrong}}, {"${key}": ${wrong + 1}})`],
    ['with self.assertRaises(KeyError):', '    pass'],
  ]
  const last = `self.assertEqual(len("${word}"), ${wrong})`
  return `# fmt: off
class ${isFirst ? 'AA' : 'Test'}${token}(${base}):  # noqa
    def test_${token}(self):
${lies('        ', statements)}
        ${last}`
}

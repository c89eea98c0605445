import { isC, isPartOfChecks } from './c-modules.ts'
import { importsOfGo, isGo } from './go-modules.ts'
import type { ModuleTree } from './module-tree.ts'
import { isPython } from './python-modules.ts'
import { importsOfScript, isScript } from './script-modules.ts'

/**
 * Names of folders and files of test support. These decide only about files that nothing but tests
 * reaches.
 */
const tools =
  /^(?:testing|tests?|test(?:utils?|support|lib|kit|helpers?|tools?|data)|helpers?|support|checks?|checking|checkers?|asserts?|assertions?|expect(?:ations?)?|matchers?|fixtures?|fakes?|mocks?|stubs?|unity|harness|spechelpers?|tolerances?|approx)$/

/** Words that mark test support even as part of a name. */
const partsOfTools =
  /^(?:testing|tests?|testutils?|testlib|testkit|assertions?|expectations?|matchers?|fixtures?|fakes?|mocks?|stubs?|harness)$/

export function isToolOfTests(path: string): boolean {
  const names = path
    .replace(/(?<=[^/])\.[^/]*$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase()
    .split('/')
  return names.some(
    (name) => tools.test(name.replace(/[-_]/g, '')) || name.split(/[-_]/).some((each) => partsOfTools.test(each)),
  )
}

const libraries =
  /^(?:(?:node:)?assert(?:\/strict)?|(?:node:|bun:)?test|vitest|@jest\/globals|chai|expect|should|unexpected|tape|tap|ava|uvu(?:\/.*)?|mocha|jasmine|power-assert|@japa\/.*|@playwright\/test|@std\/assert.*)$/

/** True if a file uses an assertion library or a test runner. */
export function bearsJudging(tree: ModuleTree, path: string): boolean {
  if (isScript(path))
    return (
      importsOfScript(tree, path).some((name) => libraries.test(name)) || /\bAssertionError\b/.test(tree.code(path))
    )
  if (isPython(path))
    return /^[ \t]*(?:from|import)[ \t]+(?:unittest|pytest|nose|hypothesis|hamcrest|numpy\.testing)\b|\bAssertionError\b/m.test(
      tree.code(path),
    )
  if (isGo(path))
    return importsOfGo(tree, path).some((name) =>
      /^testing\b|\/testify\/|\/gomega|\/quicktest|^gotest\.tools/.test(name),
    )
  return isC(path) && definesChecks(tree, path)
}

const declared =
  /^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?(?:function|const|let|var|class|def|func|fn|pub fn|#[ \t]*define|(?:static[ \t]+|inline[ \t]+)*(?:void|int|bool|_Bool))[ \t*]+(\w+)/gm
/** Names of assertions, and of the comparisons in them. */
export const checking =
  /^(?:assert|expect|check|verify|ensure|must|should|fails?|swallow|attempt|quietly|approx|almost|nearly|near|close|is_?close|within|toleran|eps(?:ilon)?|equal|same|matches|ok$|is$|test_|tap_|unity)/i

/** True if a file declares something named like an assertion; in C, a macro of such a name. */
export function definesChecks(tree: ModuleTree, path: string): boolean {
  const code = tree.code(path)
  if (isC(path)) return isPartOfChecks(tree, path)
  return [...code.matchAll(declared)].some(([, name = '']) => checking.test(name))
}

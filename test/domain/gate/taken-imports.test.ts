import { expect, test } from 'vitest'
import { importTakenBy } from '../../../src/domain/gate/taken-imports.ts'

const tests = {
  'tests/test_a.py':
    'import hashlib, math as m\nfrom numpy.testing import assert_allclose\nimport shop\nfrom ours import cart\n',
  'tests/unit/test_b.py': 'import json\n',
  'src/test/java/shop/CartTest.java': 'import static org.junit.Assert.*;\nimport com.acme.Money;\nimport shop.*;\n',
  'test/test_area.c': '#include <assert.h>\n#include <sys/area.h>\n#include "own.h"\n',
  'test/cart_test.rb': "require 'minitest/autorun'\nrequire 'json'\n",
  't/cart.t': 'use Test::More;\n',
}
const base = {
  tests: new Map(Object.entries(tests)),
  paths: [...Object.keys(tests), 'src/ours/cart.py', 'tests/unit/__init__.py', 'src/main/java/shop/Cart.java'],
}

test.each([
  ['hashlib.py', 'hashlib', 'tests/test_a.py'],
  ['tests/math/__init__.py', 'math', 'tests/test_a.py'],
  ['src/hashlib.py', 'hashlib', 'tests/test_a.py'],
  ['numpy/__init__.py', 'numpy', 'tests/test_a.py'],
  ['json.py', 'json', 'tests/unit/test_b.py'],
  ['src/main/java/org/junit/Assert.java', 'org.junit.Assert', 'src/test/java/shop/CartTest.java'],
  ['src/main/kotlin/com/acme/Money.kt', 'com.acme.Money', 'src/test/java/shop/CartTest.java'],
  ['include/assert.h', 'assert.h', 'test/test_area.c'],
  ['include/sys/area.h', 'sys/area.h', 'test/test_area.c'],
  ['lib/minitest/autorun.rb', 'minitest/autorun', 'test/cart_test.rb'],
  ['test/json.rb', 'json', 'test/cart_test.rb'],
  ['lib/Test/More.pm', 'Test::More', 't/cart.t'],
])('%s takes the place of %s, which %s imports', (path, module, test) => {
  expect(importTakenBy(path, { ...base, isGreen: true })).toEqual({ module, test })
})

test.each([
  ['a module that no test imports', 'tools.py'],
  ['a package of the product', 'app/hashlib.py'],
  ['a module of a package', 'tests/unit/json.py'],
  ['a module beside one of the tree that has its name', 'ours.py'],
  ['a class of the product in a package that tests import', 'src/main/java/shop/Order.java'],
  ['a header in quotes', 'include/own.h'],
  ['a service', 'app/services/json.rb'],
  ['a script', 'src/hashlib.js'],
])('%s takes no place', (_what, path) => {
  expect(importTakenBy(path, { ...base, isGreen: true })).toBeNull()
})

test('the waits of a red test do not count, unless one has the name of a known module', () => {
  const found = (path: string) => importTakenBy(path, { ...base, isGreen: false })?.module
  expect(['shop.py', 'include/sys/area.h', 'src/main/java/com/acme/Money.java'].map(found)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(['hashlib.py', 'include/assert.h', 'lib/Test/More.pm'].map(found)).toEqual([
    'hashlib',
    'assert.h',
    'Test::More',
  ])
})

import { describe, expect, test } from 'vitest'
import { countAssertions, countSkips } from '../../../src/domain/gate/assertions.ts'
import { countSkipsOf, declaredTests } from '../../../src/domain/gate/declared-tests.ts'
import { expectSoon } from '../expect-soon.ts'

const heredoc = 'def test_a\n  s = <<~T\n    assert x\n  T\n  assert x\nend'
const python = 'class T(TestCase):\n  def test(self):\n    """assert x"""\n    # assert y\n    '

describe('assertions', () => {
  test.each([
    ['a.test.ts', 'expect(\n  add(1, 2),\n)\n  .toBe(3)', 1],
    ['a.test.ts', 'await expect(load()).rejects.toThrow("x"); expect.soft(a).toBe(1)', 2],
    ['a.test.ts', 'expect(3).toBe(add(1, 2)); expect(x).not.toBe(x)', 2],
    ['a.test.ts', 'assert.equal(a, 1); assert(a); assert.throws(() => f())', 3],
    ['a.test.ts', 'expectTypeOf<A>().toMatchTypeOf<B>(); assertType<A>(b)', 2],
    ['a.test.js', 'request(app).get("/").expect(200).expect("a", "b")', 2],
    ['a.test.js', 't.is(a, 1); t.deepEqual(a, b); a.should.equal(1); expect(a).to.be.true', 4],
    ['a.test.js', 'const r = /`/; expect(a).toBe(1); const q = /["\']/.test(a)\nexpect(b).toBe(1)', 2],
    ['a.test.js', 'x(`${expect(a).toBe(1)} expect(b).toBe(1)`)', 1],
    ['test_a.py', 'def test_a():\n    assert add(1) == 3, "why"\n    assert(add(1))\n    assert x in (1, 2)\n', 3],
    ['test_a.py', `${python}self.assertEqual(a, 1)\n    with pytest.raises(E): f()\n    m.assert_called_once()\n`, 3],
    [
      'a_test.go',
      'package a\nfunc T(t *testing.T) {\n t.Errorf("%d", x)\n assert.Equal(t, 1, x)\n s := `t.Fatal("x")` }',
      2,
    ],
    ['a_test.go', 'package a\nfunc T(t *testing.T) { Expect(x).To(Equal(1)); require.NoError(t, err) }', 2],
    ['a.rs', 'fn a<\'a>() { assert_eq!(add(1), 2); assert!(x.is_ok(), "m"); let c = \'"\'; assert_ne!(a, b); }', 3],
    ['a.rs', '#[should_panic]\nfn b() { let s = r#"assert!("z")"#; /* /* assert!(x) */ assert!(x) */ }', 1],
    ['ATest.java', 'assertEquals(1, f()); assertThat(x).isEqualTo(1); assertThat(x, is(1)); verify(m).run();', 4],
    ['ATest.kt', 'x shouldBe 1\nassertEquals(1, x)\nshouldThrow<E> { f() }\n', 3],
    ['a_spec.rb', 'it { is_expected.to be }\nit "y" do\n  expect(x).to eq 1\n  expect { f }.to raise_error\nend', 3],
    ['test_a.rb', ' assert_equal 1, x\n refute_nil x\n assert_equal(1, x)\n x.must_equal 2\n', 4],
    ['test_a.rb', heredoc, 1],
    ['ATest.php', '<?php $this->assertEquals(1, $x); expect($x)->toBe(1); $r->assertStatus(200); // assertTrue($x)', 3],
    ['ATests.swift', 'XCTAssertEqual(x, 1); XCTFail("x"); #expect(x == 1); let s = """\n XCTAssertNil(x)\n"""', 3],
    ['a.cpp', 'TEST(A, B) { EXPECT_EQ(1, x); ASSERT_TRUE(x); REQUIRE(x == 1); }', 3],
    ['a_test.exs', 'test "a" do\n assert add(1) == 2\n refute x\n assert_receive :x\nend', 3],
    ['a.dart', 'expect(add(1), 2); expect(add(1), equals(2));', 2],
    ['', 'def test_a():\n    assert x == 1  # assert y\n', 1],
    [
      'a.js',
      "test('a', function (st) {\n st.equal(a, 1); st.deepEqual(a, b)\n st.test('b', (s2t) => { s2t.ok(a) }) })",
      3,
    ],
    ['a.js', "test('a', { skip: x }, async (assert) => { assert.is(a, 1) })\nt.test('b', async q => q.same(a, b))", 2],
    ['a.js', "import { equal, ok as fine, throws } from 'node:assert'\nequal(a, 1); fine(a); throws(f); x.ok(a)", 3],
    ['a.js', "const { deepStrictEqual, ok: yes } = require('assert/strict')\ndeepStrictEqual(a, b)\nyes(a)", 2],
    ['a.mjs', "import * as check from 'assert'\ncheck.equal(a, 1)\ncheck.ok(a)", 2],
    [
      'a_test.go',
      'func (s *SumSuite) TestA() { s.Equal(1, x); s.NoError(err); s.Require().Len(x, 1); s.T().Log(x) }',
      3,
    ],
    ['a_test.go', 'func (_ *S) TestA(c *check.C) { c.Assert(x, check.Equals, 1); c.Check(y, IsNil) }', 2],
    ['a_test.go', 'func TestA(t *testing.T) { is := require.New(t); is.Equal(1, x); is.NoError(err) }', 2],
    ['test_a.py', 'from pytest import raises\ndef test_a():\n    with raises(E):\n        f()\n    eq_(a, 1)\n', 2],
    ['a.c', 'TEST_ASSERT_EQUAL_INT(1, x); TEST_ASSERT_NULL(x); CU_ASSERT_EQUAL(x, 1); CU_FAIL("x");', 4],
    ['a.c', 'ck_assert_int_eq(x, 1); cr_assert(x); cr_expect_eq(x, 1); g_assert_cmpint(x, ==, 1);', 4],
    ['a.c', 'munit_assert_int(x, ==, 1); mu_assert("x", x); zassert_true(x); assert_int_equal(x, 1);', 4],
    ['a.cpp', 'CPPUNIT_ASSERT_EQUAL(1, x); QCOMPARE(x, 1); QVERIFY(x); QTRY_COMPARE(x, 1); QVERIFY2(x, "y");', 5],
    ['a.c', '#define TEST_ASSERT_SUM(x) x\nTEST_ASSERT_SUM(y);', 1],
    ['t/a.t', "ok($x, 'a');\nis $x, 1, 'b';\n# ok $y;\nis_deeply($x, [1]);\nlike($x, qr/a/);\n", 4],
    ['a.bats', '@test "a" {\n  run f\n  [ "$status" -eq 0 ]\n  [[ "$output" == x ]]\n  assert_success\n}', 3],
    ['ASpec.hs', 'it "a" $ f 1 `shouldBe` 2\n  x @?= 1\n  assertEqual "a" 1 x -- y @?= 1\n', 3],
  ])('of %s are seen in %j', (path, text, expected) => {
    expect(countAssertions(text, path)).toBe(expected)
  })

  test.each([
    ['a.test.ts', 'expect(a)'],
    ['a.test.ts', 'x() // expect(a).toBe(1)'],
    ['a.test.ts', 'x() /* \nexpect(a).toBe(1)\n*/'],
    ['a.test.ts', 'const s = "expect(a).toBe(1)"'],
    ['a.test.ts', 'const s = `\nexpect(a).toBe(1)\n`'],
    ['a.test.ts', 'expect(true).toBe(true); expect(1 + 1).toEqual(2); expect(x).toBe(x); expect("a").toBeTruthy()'],
    ['a.test.ts', 'assert.ok(true); assert.equal(a, a); assert.strictEqual(1, 1); assert(x || true); assert(a === a)'],
    ['a.test.ts', 'import assert from "node:assert"; function assertFoo(x) {} require.resolve("x")'],
    ['a.test.ts', 'expect.assertions(1); expect(() => {}).not.toThrow()'],
    ['test_a.py', 'assert True\nassert 1 == 1\nassert (add(1) == 2, "msg")\nassert x or True\nassert x == x\n'],
    ['test_a.py', "self.assertTrue(True)\ndef assert_valid(x): pass\ns = '''\nassert x\n'''\n"],
    ['test_a.py', 'm.assert_called_once\n'],
    [
      'a_test.go',
      'package a\nfunc T(t *testing.T) { assert.True(t, true); Expect(x); /* t.Fatal() */ }'.replace('t, ', ''),
    ],
    ['a.rs', 'fn a() { assert!(true); assert_eq!(1, 1); x.expect("assert!(y)"); }'],
    ['ATest.java', 'assertThat(x); assertTrue(true); Assertions.assertEquals(1, 1); assertEquals(x, x);'],
    ['a_spec.rb', 'expect(x)\n# expect(x).to eq 2\n=begin\nassert x\n=end\n'],
    ['test_a.rb', ' assert true\n assert_equal 1, 1\n assert_equal x, x\n'],
    ['ATest.php', '<?php self::assertTrue(true); $s = "assertTrue(1)"; $t = <<<EOT\nassertTrue($x)\nEOT;'],
    ['a_test.exs', 'assert true\n'],
  ])('of %s are none in %j', (path, text) => {
    expect(countAssertions(text, path)).toBe(0)
  })
})

describe('declared tests', () => {
  test.each([
    ['a.test.ts', "test('a', f); it.skip('b', f); describe('c', f); test.each([1])('d', f); /x/.test('y')", 3],
    ['a.js', "test('a', (t) => { t.test('b', f) })\n// test('c')\nx = \"test('d')\"", 2],
    ['test_a.py', 'class A:\n    def test_a(self): pass\n\nasync def test_b(): pass\ndef helper(): pass\n', 2],
    [
      'a_test.go',
      'func TestA(t *testing.T) {}\nfunc (s *S) TestB() {}\nfunc helper() {}\nfunc FuzzC(f *testing.F) {}',
      3,
    ],
    ['a.rs', '#[test]\nfn a() {}\n#[tokio::test]\nasync fn b() {}\nfn c() {}', 2],
    ['A.java', '@Test void a() {}\n@ParameterizedTest\nvoid b(int x) {}\nvoid c() {}', 2],
    ['a.cpp', 'TEST(A, B) {}\nTEST_F(A, C) {}\nTEST_CASE("d") {}\nvoid test_e(void) {}', 4],
    ['t/a.t', "subtest 'a' => sub { ok 1 };", 1],
    ['a.bats', '@test "a" {\n}\n', 1],
    ['a_spec.rb', 'it "a" do\nend\nit { x }\ndef test_b\nend', 3],
  ])('of %s are seen in %j', (path, text, expected) => {
    expect(declaredTests(text, path)).toHaveLength(expected)
  })
})

describe('switched-off tests', () => {
  const skipsNew = (path: string, before: string, after: string) =>
    countSkipsOf(new Set(declaredTests(before, path).map(({ name }) => name)), before + after, path)

  test.each([
    ['a.test.js', "it('a', f)\n", "it.skip('b', f)\nit('c', function () {\n  if (x) this.skip()\n  g()\n})"],
    ['test_a.py', 'def test_a():\n    pass\n', '\n@pytest.mark.skipif(x)\ndef test_b():\n    pytest.skip("x")\n'],
    ['a_test.go', 'func TestA(t *testing.T) {\n}\n', 'func TestB(t *testing.T) {\n\tt.Skip("x")\n}\n'],
    ['a.rs', '#[test]\nfn a() {\n}\n', '#[test]\n#[ignore]\nfn b() {\n}\n#[ignore]\n#[test]\nfn c() {\n}\n'],
    ['A.java', '@Test\nvoid a() {\n}\n', '@Test\n@Disabled("x")\nvoid b() {\n}\n'],
  ])('are none taken away where they are new: %s', (path, before, after) => {
    expect(skipsNew(path, before, after)).toBe(0)
    expect(countSkips(before + after, path)).toBeGreaterThan(0)
  })

  test.each([
    ['a.test.js', "it('a', f)\n", "it.only('b', f)\n"],
    ['a.test.js', "it('a', f)\n", "describe.skip('b', () => {\n  it('c', f)\n})\n"],
    ['a.test.js', "it('a', f)\n", "it('b', f)\nbefore(function () {\n  this.skip()\n})\n"],
    [
      'test_a.py',
      'def test_a():\n    pass\n',
      'def test_b():\n    pass\n\ndef setup_module():\n    pytest.skip("x")\n',
    ],
    ['test_a.py', 'def test_a():\n    pass\n', 'pytestmark = pytest.mark.skip(reason="x")\n'],
    [
      'a_test.go',
      'func TestA(t *testing.T) {\n}\n',
      'func TestB(t *testing.T) {\n}\nfunc help(t *testing.T) {\n\tt.Skip("x")\n}\n',
    ],
  ])('are taken away where they may be others, too: %s, %j and %j', (path, before, after) => {
    expect(skipsNew(path, before, after)).toBe(1)
  })

  test.each([
    ['a.test.ts', 'it.skip("x"); test.only("x"); describe.skip.each([])("x"); test.concurrent.skip("x")', 4],
    ['a.test.ts', 'xit("x"); fdescribe("x"); test.skipIf(x)("a"); it.fails("x"); test["skip"]("x"); it.todo("x")', 6],
    ['a.test.ts', 'test("a", { skip: "later" }, f); test("a", { skip: true }); t.skip(); this.skip()', 4],
    ['test_a.py', '@pytest.mark.skip\n@pytest.mark.skipif(x)\n@unittest.skip("x")\n@skip\n@expectedFailure\n', 5],
    ['test_a.py', 'pytestmark = pytest.mark.skip(reason="x")\npytest.skip("x")\nraise unittest.SkipTest("x")\n', 3],
    ['a_test.go', '//go:build ignore\npackage a\nfunc T(t *testing.T) { t.Skip("x"); t.SkipNow() }', 3],
    ['a.rs', '#[ignore]\nfn a() {}\n#[cfg_attr(any(), ignore)]\nfn b() {}\n#[cfg(any())]\nfn c() {}', 3],
    ['A.java', '@Disabled("x") @Test void a() { assumeTrue(x); }\n@Ignore', 3],
    ['a_spec.rb', 'xit "x" do\nend\nfit "x" do\nend\nit "x", :skip do\nend\nskip "x"\nit "y", skip: true do\nend', 5],
    ['A.php', '<?php $this->markTestSkipped("x"); it("x")->skip();', 2],
    ['A.swift', 'throw XCTSkip("x")\n@Test(.disabled("x")) func a() {}', 2],
  ])('of %s are counted in %j', (path, text, expected) => {
    expect(countSkips(text, path)).toBe(expected)
  })

  test.each([
    ['a.test.ts', 'find({ skip: 10 }); benefit(x); page.only; it("skips it.skip"); // it.skip("x")'],
    ['test_a.py', 'def skip(x): pass\n# @pytest.mark.skip\nlist.skip(1)\nmodel.fit(x)\n'],
    ['a_test.go', 'package a\n// see //go:build\nfunc T(t *testing.T) { rows.Skip() }'],
    ['a_spec.rb', 'it "skips" do\n  expect(x.skip).to eq 1\nend'],
  ])('of %s are none in %j', (path, text) => {
    expect(countSkips(text, path)).toBe(0)
  })
})

test.each([
  ['a.ts', ['expect(', '`${', '/ ', 'it  .  ', 'assert.']],
  ['a.py', ['assert (\n', '""" ', 'assert x == x ']],
  ['a.rb', ["'", '<<A\n']],
  ['a.go', ['assert(', '`']],
  ['a.rs', ['r#"', '/*']],
  ['a.java', ['""" ', '@Test(']],
  ['', ['(', '\\"']],
] as const)('whatever a file %j holds, it is read soon', (path, parts) => {
  for (const part of parts) {
    const text = part.repeat(262_144 / part.length)
    expectSoon(() => countAssertions(text, path))
    expectSoon(() => countSkipsOf(new Set(['a']), text, path))
  }
})

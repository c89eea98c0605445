import type { Language } from './code-syntax.ts'

const anyOf = (...parts: readonly RegExp[]): RegExp => new RegExp(parts.map(({ source }) => source).join('|'), 'gm')

const call = (...names: readonly RegExp[]): RegExp =>
  new RegExp(`(?<![\\w$])(?:${anyOf(...names).source})\\s*(?:<[^<>()\\n]{0,200}>)?\\(`, 'g')

/** Calls that only name a value; the claim about it follows. */
export const subjectCalls = call(
  /expect(?:TypeOf|\.(?:soft|poll|element))?/,
  /Expect|Eventually|Consistently|Ω/,
  /assertThat|assert_that|Assert\.That|verify/,
)

/** Assertions in the style of tape, tap and ava. */
const looked =
  /(?:is|not|like|regex|true|false|truthy|falsy|ok|match|rejects|resolves|fail|(?:d|notD)eepEqual|throws\w*|notThrows\w*|(?:not|loose|strict)?(?:E|e)qual|(?:not|strict)?(?:S|s)ame|notOk|snapshot|doesNot\w+|error|ifError)/

/** Assertions of testify's suites, of gocheck and of quicktest. */
const suited =
  /(?:(?:Require|Assert)\(\)\.\w+|Assert|Check|(?:No)?(?:Error|Panic)\w*|(?:Not)?(?:Equal|Nil|Empty|Zero|Contains|Same|Regexp|Implements)\w*|True|False|Len|Greater\w*|Less\w*|InDelta\w*|InEpsilon\w*|Subset|ElementsMatch|JSONEq|YAMLEq|WithinDuration|Eventually\w*|Never|Panics\w*|Exactly|IsType|Condition|FileExists|Fail\w*)/

/**
 * Matches calls on the objects that a test gets or makes for its assertions. `names` are their
 * names in the file.
 */
export function callsOn(names: readonly string[], language: Language): RegExp {
  const own = names.map((name) => name.replaceAll('$', '\\$')).join('|')
  const members = language === 'go' ? suited : looked
  return call(new RegExp(`(?:${own})\\.${members.source}`))
}

/** Calls by names that a file imports from an assertion library. */
export function callsOf(names: readonly string[]): RegExp {
  return call(new RegExp(`(?:${names.map((name) => name.replaceAll('$', '\\$')).join('|')})(?:\\.\\w{1,80})?`))
}

/**
 * The usual names, by language, of the objects that a test makes assertions on: its callback's
 * parameter, its method's receiver, or an object of a library.
 */
export const receiversOf: Partial<Readonly<Record<Language, RegExp>>> = {
  script:
    /(?<![\w$])(?:[\w$]{1,40}\.)?(?:test|tape|it|only|skip|serial)\s*\(\s*(?:['"`][^'"`\n]{0,300}['"`]\s*,\s*)?(?:\{[^{}]{0,200}\}\s*,\s*)?(?:async\s*)?(?:function\b\s*[\w$]{0,80}\s*)?\(?\s*(?<name>[A-Za-z_$][\w$]{0,40})\s*(?:=>|\)\s*(?:=>|\{))/g,
  go: anyOf(
    /\bfunc\s*\(\s*(?<name>\w{1,40})\s+\*?\w{1,80}\s*\)\s*Test\w*\s*\(/,
    /\b(?<given>\w{1,40})\s+\*(?:\w{1,40}\.)?C\b/,
    /\b(?<made>\w{1,40})\s*:=\s*(?:assert|require|qt|check)\.New\(/,
  ),
}

/** Calls that state their whole claim between their brackets. */
export const wholeCalls = call(
  /(?!assert(?:That|_that)\b)(?:debug_|prop_)?(?:assert|refute)\w*!?/,
  /XCT(?:Assert\w*|Fail|Unwrap)|#(?:expect|require)/,
  /(?:EXPECT|ASSERT)_\w+|(?:REQUIRE|CHECK)(?:_\w+)?|BOOST_(?:CHECK|REQUIRE|TEST)\w*/,
  /expect(?:Type|Error|Warnings?|Exception\w*|_\w+)|expect\.(?:fail|unreachable)/,
  /(?:assert|Assert|tap|qt)(?:\.|::)(?!(?:That|New)\b)[\w.]{1,80}/,
  /(?:require|check|is)\.(?!resolve\b|context\b|cache\b|main\b|array\b|object\b|string\b|New\b)[A-Za-z]\w{0,80}/,
  /(?:t|tt|tb|ctx|context)\.(?:is|not|like|regex|true|false|truthy|falsy|ok|match|rejects|resolves|fail)/,
  /(?:t|tt|tb|ctx|context)\.(?:(?:d|notD)eepEqual|throws\w*|notThrows\w*|(?:not|loose|strict)?(?:E|e)qual|(?:not|strict)?(?:S|s)ame|notOk|snapshot)/,
  /(?:t|tt|tb|b|f)\.(?:Errorf?|Fatalf?|Fail(?:Now)?)|(?:t|ctx|context)\.assert\.\w{1,80}/,
  /pytest\.(?:raises|warns|fail|deprecated_call)|fail|flunk/,
  /(?:TEST|CU|CPPUNIT)_(?:ASSERT|FAIL)\w*|(?:ck|cr|g|mu|munit)_(?:assert|expect|fail)\w*|munit_error\w*|zassert\w*|zexpect\w*/,
  /Q(?:TRY_)?(?:VERIFY|COMPARE)\w*|QFAIL|QVERIFY_EXCEPTION\w*/,
)

/** Calls that assert in one language, but are ordinary words in others. */
export const wholeCallsOf: Partial<Readonly<Record<Language, RegExp>>> = {
  python: call(/(?:with\s+)?(?:raises|warns)|eq_|ok_/),
}

/** Calls on the object under test. They depend on that object, whatever their arguments. */
export const memberCalls =
  /(?:\.|->)\s*(?:expect|andExpect|should|Should|ShouldBe\w*|must_\w+|wont_\w+|verifyComplete)\s*\(/g

/**
 * Words, by language, that assert something without brackets. If there is a group `said`, its text
 * must be able to fail.
 */
export const wordsOf: Readonly<Record<Language, RegExp | null>> = {
  script: /\.should\s*\.\s*\w/g,
  python: anyOf(/(?:^|[;:])[ \t]*assert\b(?=[ \t]+\S|\()(?<said>)/),
  ruby: anyOf(
    /(?:^|[;{]|\bdo)[ \t]*(?:assert|refute)(?:_\w+)?(?=[ \t]+[^\s=(.])(?<said>)/,
    /\.(?:must|wont)_\w+(?!\s*\()|\.should(?:_not)?\b(?!\s*\()|\bis_expected\.|(?<!\.)\bshould(?:_not)?[ \t]+\w/,
    /\bexpect[ \t]*(?:\{|do\b)/,
  ),
  php: null,
  go: null,
  rust: /#\[should_panic\b/g,
  elixir: anyOf(/^[ \t]*(?:assert|refute)(?:_\w+)?(?=[ \t]+[^\s=(.])(?<said>)/),
  'c-like': anyOf(
    /^[ \t]*assert(?=[ \t]+[^\s=(.])(?<said>)|@Test\s*\(\s*expected\b|#(?:expect|require)\s*\{/,
    /\b(?:shouldThrow|shouldNotThrow|assertFails|assertFailsWith|assertThrows)\w*\s*(?:<[^<>()\n]{0,200}>)?\s*\{/,
    /\bshould(?:Be|NotBe|Have|NotHave|Contain|NotContain|Throw|StartWith|EndWith|Match|Equal)\w*[ \t]+[^\s({<]/,
    /\b(?:should|must)[ \t]+(?:be|not|equal|have|include|contain|startWith|endWith|matchPattern)\b/,
  ),
  perl: /^[ \t]*(?:ok|is|isnt|like|unlike|is_deeply|cmp_ok|can_ok|isa_ok|is_string|throws_ok|dies_ok|lives_ok|fail)\b(?=[ \t]*[^\s=;,.])/gm,
  shell:
    /^[ \t]*(?:!?[ \t]*(?:\[{1,2}[ \t]|test[ \t]|grep\b|diff\b|cmp\b)|\(\([ \t]|(?:assert|refute)\w*\b(?!\s*\())/gm,
  haskell:
    /(?:`|\b)should(?:Be|NotBe|Satisfy|NotSatisfy|Return|NotReturn|Throw|Contain|NotContain|StartWith|EndWith|MatchList)\b|@[?]?=|@=\?|@\?|\bassert\w*[ \t]+[^\s=:]|===|\bproperty[ \t]/g,
}

/** Declarations of tests, by language. */
export const testsOf: Readonly<Record<Language, RegExp>> = {
  script: anyOf(
    // Hooks and settings of a runner do not declare a test.
    /(?<![\w$.])(?:[xf]?it|[xf]?test|specify|scenario|tape|(?:t|st|tap|ava|Deno|QUnit)\.test)(?:\s*\.\s*(?!(?:before|after)\w*|use\b|extend\b|configure\b|macro\b|run\b|info\b)\w{1,40}){0,3}\s*(?:\(|`)/,
  ),
  python: anyOf(/^[ \t]*(?:async[ \t]+)?def[ \t]+test\w*/),
  ruby: anyOf(/^[ \t]*def[ \t]+test_\w+|^[ \t]*[xf]?(?:it|specify|scenario|example|test)[ \t]*(?:['"({]|do\b)/),
  php: anyOf(/\bfunction[ \t]+test\w*|#\[Test\b|^[ \t]*(?:it|test)\s*\(/),
  go: anyOf(
    /^func[ \t]*(?:\([^()\n]{0,100}\)[ \t]*)?(?:Test|Fuzz|Example)\w*[ \t]*\(/,
    /(?<![\w.])[PFX]?(?:It|Specify)\s*\(/,
  ),
  rust: anyOf(/#\[(?:\w{1,40}::){0,4}(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b/),
  elixir: anyOf(/^[ \t]*(?:test|property|feature)[ \t]+"/),
  'c-like': anyOf(
    /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|\[(?:Test|Fact|Theory|TestMethod|TestCase|DataTestMethod)\b/,
    /(?<![\w])(?:(?:TYPED_)?TEST(?:_[FP]|_CASE|_METHOD)?|SCENARIO|BOOST_(?:AUTO|FIXTURE)_TEST_CASE|START_TEST|Test|ParameterizedTest|ZTEST\w*)\s*\(/,
    /\bfunc[ \t]+test\w*\s*\(|\b(?:void|int)[ \t]+test\w*\s*\(|\bfun[ \t]+(?:test\w*|`)/,
    /(?<![\w.])(?:test|testWidgets|it|should)\s*\(\s*"/,
  ),
  perl: anyOf(/^[ \t]*subtest\b/),
  shell: anyOf(/^[ \t]*@test\b|^[ \t]*(?:function[ \t]+)?test_?\w*[ \t]*\(\)/),
  haskell: anyOf(/(?<![\w'])(?:[xf]?it|specify|testCase|testProperty|prop)[ \t]+"/),
}

/** Switched-off tests, and tests that switch off all others, by language. */
export const skipsOf: Readonly<Record<Language, RegExp>> = {
  script: anyOf(
    /(?<![\w$.])(?:it|test|describe|context|suite|specify|bench|scenario|Deno\.test|QUnit\.(?:test|module))(?:\s*\.\s*\w+){0,3}?\s*\.\s*(?:skip|todo|only|fixme|fails?|failing|skipIf|runIf|ignore)\b/,
    /(?<![\w$.])(?:it|test|describe|suite)\s*\[|(?<![\w$.])x(?:it|test|describe|context|specify)\b/,
    /(?<![\w$.])f(?:it|describe|context)\s*[(.]|(?<![\w$.])pending\s*\(/,
    /\b(?:t|ctx|context|this)\s*\.\s*(?:skip|todo|fixme)\s*\(/,
    /\b(?:skip|todo)\s*:\s*(?:true\b|!0|['"`])|\bonly\s*:\s*(?:true\b|!0)/,
  ),
  python: anyOf(
    /@(?:\w+\.){0,3}(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b/,
    /\bpytest\.(?:skip|xfail|importorskip)\s*\(|=[^\n@]{0,200}?\bpytest\.mark\.(?:skip|skipif|xfail)\b/,
    /\bself\.skipTest\s*\(|\braise[ \t]+(?:\w+\.){0,2}SkipTest\b|\b__test__\s*=\s*False|\bcollect_ignore(?:_glob)?\b/,
    /\bmarks\s*=\s*[^\n]{0,100}?\b(?:skip|xfail)/,
  ),
  ruby: anyOf(
    /(?<![\w.])[xf](?:it|describe|context|specify|scenario|feature|example)\b/,
    /(?<![\w.:])(?:skip|pending)\b(?!:)|:(?:skip|pending|focus)\b/,
    /\b(?:skip|pending|focus):[ \t]*(?:true|['"])/,
  ),
  php: anyOf(/\bmarkTest(?:Skipped|Incomplete)\s*\(|->(?:skip|todo|only|skipOn\w+)\s*\(/, /#\[Requires\w+/),
  go: anyOf(
    /\b(?:t|b|tb|tt|f|T\(\))\.Skip(?:f|Now)?\s*\(|\btesting\.Short\s*\(/,
    /(?<![\w.])[PFX](?:It|Describe|Context|When|Specify)\s*\(|(?<![\w.])Skip\s*\(/,
  ),
  rust: anyOf(/#\[ignore\b|#\[cfg\(\s*(?:any\(\s*\)|FALSE|false)|#\[cfg_attr\([^\]\n]{0,200}?\bignore\b/),
  elixir: anyOf(/@(?:module|describe)?tag\s+:?skip\b|@tag\s+skip:/),
  'c-like': anyOf(
    /@(?:Disabled|Ignore|Ignored|DisabledOn\w+|DisabledIf\w*|EnabledOn\w+|EnabledIf\w*|Pending)\b/,
    /\bassume(?:True|False|That|NoException|Not)\s*\(|\bAssum(?:e|ptions)\.\w|\benabled\s*=\s*false\b/,
    /\bXCTSkip\w*\s*\(|\.(?:disabled|enabled)\s*\(|\bwithKnownIssue\b/,
    /\bGTEST_SKIP\b|\bDISABLED_\w|\[Ignore\b|\bSkip\s*=\s*["@$]|\bAssert\.(?:Ignore|Inconclusive)\b/,
    /(?<![\w.])(?:ignore|xit|xdescribe|xcontext|cancel)\s*[({]|\bskip\s*:\s*(?:true\b|['"])/,
    /\bTEST_IGNORE\w*\s*\(|\bQSKIP\s*\(|\bmunit_skip\b|\bztest_test_skip\b|\bcr_skip\w*\s*\(/,
  ),
  perl: anyOf(/^[ \t]*(?:SKIP|TODO)[ \t]*:|\bskip_all\b|^[ \t]*(?:skip|todo_skip)\b|\bTODO[ \t]*=/),
  shell: anyOf(/^[ \t]*skip\b/),
  haskell: anyOf(/(?<![\w'])(?:xit|xdescribe|fit|fdescribe|pending\w*|ignoreTest\w*)\b/),
}

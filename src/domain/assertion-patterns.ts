import type { Language } from './code-syntax.ts'

const anyOf = (...parts: readonly RegExp[]): RegExp => new RegExp(parts.map(({ source }) => source).join('|'), 'gm')

const call = (...names: readonly RegExp[]): RegExp =>
  new RegExp(`(?<![\\w$])(?:${anyOf(...names).source})\\s*(?:<[^<>()\\n]{0,200}>)?\\(`, 'g')

/** Calls that only name a value; what must hold of it comes behind. */
export const subjectCalls = call(
  /expect(?:TypeOf|\.(?:soft|poll|element))?/,
  /Expect|Eventually|Consistently|Ω/,
  /assertThat|assert_that|Assert\.That|verify/,
)

/** Calls that say all that must hold between their brackets. */
export const wholeCalls = call(
  /(?!assert(?:That|_that)\b)(?:debug_|prop_)?(?:assert|refute)\w*!?/,
  /XCT(?:Assert\w*|Fail|Unwrap)|#(?:expect|require)/,
  /(?:EXPECT|ASSERT)_\w+|(?:REQUIRE|CHECK)(?:_\w+)?|BOOST_(?:CHECK|REQUIRE|TEST)\w*/,
  /expect(?:Type|Error|Warnings?|Exception\w*|_\w+)|expect\.(?:fail|unreachable)/,
  /(?:assert|Assert|tap|qt)(?:\.|::)(?!That\b)[\w.]{1,80}/,
  /(?:require|check|is)\.(?!resolve\b|context\b|cache\b|main\b|array\b|object\b|string\b)[A-Za-z]\w{0,80}/,
  /(?:t|tt|tb|ctx|context)\.(?:is|not|like|regex|true|false|truthy|falsy|ok|match|rejects|resolves|fail)/,
  /(?:t|tt|tb|ctx|context)\.(?:(?:d|notD)eepEqual|throws\w*|notThrows\w*|(?:not|loose|strict)?(?:E|e)qual|(?:not|strict)?(?:S|s)ame|notOk|snapshot)/,
  /(?:t|tt|tb|b|f)\.(?:Errorf?|Fatalf?|Fail(?:Now)?)|(?:t|ctx|context)\.assert\.\w{1,80}/,
  /pytest\.(?:raises|warns|fail|deprecated_call)|fail|flunk/,
)

/** Calls of what is looked at: whatever they are given, they depend on it. */
export const memberCalls =
  /(?:\.|->)\s*(?:expect|andExpect|should|Should|ShouldBe\w*|must_\w+|wont_\w+|verifyComplete)\s*\(/g

/** What says without brackets that something must hold, by language. Of a named group `said` it is looked whether that can fail. */
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
}

/** Switched-off tests, and such as switch all others off, by language. */
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
  ),
}

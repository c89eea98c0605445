/** Calls and statements by which the common test libraries say what must hold. */
const assertion =
  /\b(?:expect(?:Type(?:Of)?|Error|Warnings?)?\s*[(<]|assert\w*!?\s*[(.]|assert\s+[^\s=(]|should\w*\b\s*[.(]|(?:t|ctx|context)\.(?:assert|is|not|deepEqual|throws|true|false|truthy|falsy|equal|same|ok|snapshot|Errorf?|Fatalf?|Fail\w*)\w*\s*\(|(?:require|verify|check)\.\w+\s*\(|pytest\.(?:raises|warns)\b|self\.(?:assert|fail)\w*\s*\(|XCTAssert\w*\s*\(|EXPECT_\w+\s*\(|ASSERT_\w+\s*\()/g

/** Such as hold whatever the code does. */
const empty =
  /\bexpect\s*\(\s*(true|false|1|0|null|undefined|'[^']*'|"[^"]*")\s*\)\s*\.\s*(toBe|toEqual|toStrictEqual)\s*\(\s*\1\s*\)|\bexpect\s*\(\s*(?:true|1)\s*\)\s*\.\s*toBeTruthy\s*\(|\bassert(?:\.ok|\.equal|\.strictEqual|_eq!|!)?\s*\(\s*(?:true|1)\s*(?:,\s*(?:true|1)\s*)?\)|\bassert\s+True\b|\bself\.assertTrue\s*\(\s*True\s*\)/g

/** Switched-off tests, and such as switch all others off, without a runner's word on it. */
const skip =
  /\b(?:it|test|describe|context|suite)\s*\.\s*(?:skip|todo|only|fixme)\b|\b(?:xit|xtest|xdescribe|fit|fdescribe)\s*\(|@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.skip\w*|Disabled|Ignore)\b|#\[ignore|\bt\.Skip(?:f|Now)?\s*\(|\bpytest\.skip\s*\(|\bskip:\s*true\b/g

/** How many assertions a test file has; those that cannot fail, and commented ones, are none. */
export function countAssertions(text: string): number {
  const code = withoutComments(text)
  return count(code, assertion) - count(code, empty)
}

/** How many tests a file switches off. */
export function countSkips(text: string): number {
  return count(withoutComments(text), skip)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

/** Without comments, those aside that follow code on its line: what looks like one there may be in a string. */
function withoutComments(text: string): string {
  const lines: string[] = []
  let inside = false
  for (const line of text.split('\n')) {
    const opens = /^\s*\/\*/.test(line)
    if (!inside && !opens && !/^\s*(\/\/|#(?!\[))/.test(line)) lines.push(line)
    inside = (inside || opens) && !line.includes('*/')
  }
  return lines.join('\n')
}

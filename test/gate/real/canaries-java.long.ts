import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { detectMaven } from '../../../src/config/detect/jvm.ts'
import { toolchain } from '../suite/toolchains.ts'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

let world: VerifierWorld

/** Packages of the system, from which Maven builds without a network. */
const packages = '/usr/share/maven-repo'
const isThere = (path: string) => existsSync(`${packages}/${path}`)
const maven = toolchain('mvn')
const hasMaven =
  maven.isThere && toolchain('javac').isThere && isThere('org/apache/maven/plugins/maven-surefire-plugin')

const kinds = [
  {
    kind: 'JUnit 5',
    isHere: hasMaven && isThere('org/junit/jupiter/junit-jupiter/5.9.2'),
    needs: { group: 'org.junit.jupiter', name: 'junit-jupiter', version: '5.9.2' },
    imports: ['static org.junit.jupiter.api.Assertions.assertEquals', 'org.junit.jupiter.api.Test'],
    assertions: 'org/junit/jupiter/api/Assertions',
  },
  {
    kind: 'JUnit 4',
    isHere: hasMaven && isThere('junit/junit/4.x'),
    needs: { group: 'junit', name: 'junit', version: '4.x' },
    imports: ['static org.junit.Assert.assertEquals', 'org.junit.Test'],
    assertions: 'org/junit/Assert',
  },
] as const

// Debian's packages for this: maven, default-jdk-headless, junit4, junit5, and the plugins of
// Maven.
describe.each(kinds)('Maven with $kind, where Maven and its packages are installed', ({ isHere, ...kind }) => {
  const { needs, imports, assertions } = kind
  const [pom, source, tests] = ['pom.xml', 'src/main/java/a/Area.java', 'src/test/java/a/AreaTest.java']
  const area = 'package a;\n\npublic class Area {\n    public static int of(int side) { return side * side; }\n}\n'
  const files = {
    [pom]: `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>a</groupId><artifactId>a</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>${needs.group}</groupId><artifactId>${needs.name}</artifactId><version>${needs.version}</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
</project>
`,
    [source]: area,
    [tests]: `package a;

${imports.map((each) => `import ${each};\n`).join('')}
public class AreaTest {
    @Test
    public void squares() {
        assertEquals(4, Area.of(2));
    }
}

class Unused {
}
`,
  }
  /** The configuration of `drydock init`, with the installed packages. */
  const steps = detectMaven({ files: { [pom]: files[pom] ?? '' } } as Parameters<typeof detectMaven>[0])?.steps.map(
    (step) => ({
      ...step,
      command: `export MAVEN_OPTS=-XX:TieredStopAtLevel=1 ${maven.path}; ${step.command.replace('"$PWD/.drydock/m2"', packages)}`,
      timeoutSec: 300,
    }),
  )
  beforeAll(async () => {
    if (isHere) world = await makeVerifierWorld(files)
  })
  afterAll(async () => {
    if (isHere) await world.close()
  })

  async function verifyChange(change: Readonly<Record<string, string>>) {
    const { signal } = new AbortController()
    const commit = await world.commitChange(change)
    const asked = { steps: steps ?? [], purpose: 'change', writes: 'overlay', refactor: true, commit, signal } as const
    const { status, manifest, tail_log } = await world.ask(asked)
    return { status, tail: tail_log ?? '', canaries: manifest?.canaries }
  }

  // JUnit 5 is covered below: a test that is already deaf on the base commit raises no finding.
  test.runIf(isHere && needs.name === 'junit')(
    'an honest change is heard',
    async () => {
      const { status, tail, canaries } = await verifyChange({
        [source]: area.replace('side * side', '(side) * (side)'),
      })
      expect([status, status === 'PASS' ? '' : tail, canaries]).toEqual([
        'PASS',
        '',
        { status: 'heard', steps: [{ step: 'test', status: 'heard', files: [tests] }] },
      ])
    },
    600_000,
  )

  // JUnit 4 would only repeat this, at a minute for each run.
  test.runIf(isHere && needs.name === 'junit-jupiter')(
    'a class that stands in for the assertions makes the gate deaf',
    async () => {
      const [name = ''] = assertions.split('/').slice(-1)
      const deaf = `package ${assertions.split('/').slice(0, -1).join('.')};

public class ${name} {
    public static void assertTrue(boolean value) { }
    public static void assertEquals(long a, long b) { }
    public static void assertEquals(int a, int b) { }
    public static <T extends Throwable> T assertThrows(Class<T> kind, org.junit.jupiter.api.function.Executable run) { return null; }
}
`
      const { status, tail, canaries } = await verifyChange({ [`src/test/java/${assertions}.java`]: deaf })
      expect([status, canaries?.status, status === 'FAIL' ? '' : tail]).toEqual(['FAIL', 'deaf', ''])
    },
    600_000,
  )
})

// Run by with-tools.sh, beside the packages.
const { createHash, randomBytes } = require("node:crypto")
const { readFileSync } = require("node:fs")

const ethers5 = require("ethers-5")
const ethers6 = require("ethers-6")
const Web3Accounts1 = require("web3-1")
const web3Accounts4 = require("web3-4")
const keythereum = require("keythereum")
const { default: Wallet } = require("ethereumjs-wallet")
const { Keystore } = require("thor-devkit")

const web3Accounts1 = new Web3Accounts1()
const hex = (secret) => "0x" + (typeof secret === "string" ? secret.replace(/^0x/, "") : Buffer.from(secret).toString("hex"))

// Each writes with a low cost where it lets one choose, so that tests are soon done.
const tools = {
  "ethers-5": {
    write: (secret, password) => new ethers5.Wallet(secret).encrypt(password, { scrypt: { N: 1024 } }),
    open: async (text, password) => (await ethers5.Wallet.fromEncryptedJson(text, password)).privateKey,
  },
  "ethers-6": {
    write: (secret, password) => {
      const account = { address: ethers6.computeAddress(hex(secret)), privateKey: hex(secret) }
      return ethers6.encryptKeystoreJson(account, password, { scrypt: { N: 1024 } })
    },
    open: async (text, password) => (await ethers6.Wallet.fromEncryptedJson(text, password)).privateKey,
  },
  "web3-1": {
    write: (secret, password) => JSON.stringify(web3Accounts1.encrypt(hex(secret), password, { n: 1024 })),
    open: (text, password) => web3Accounts1.decrypt(text, password).privateKey,
  },
  "web3-4": {
    write: async (secret, password) => JSON.stringify(await web3Accounts4.encrypt(hex(secret), password, { n: 1024 })),
    open: async (text, password) => (await web3Accounts4.decrypt(text, password)).privateKey,
  },
  keythereum: {
    write: (secret, password) => JSON.stringify(keythereum.dump(password, secret, randomBytes(32), randomBytes(16), { kdf: "pbkdf2", kdfparams: { c: 4096 } })),
    open: (text, password) => keythereum.recover(password, JSON.parse(text)),
  },
  "ethereumjs-wallet": {
    write: (secret, password) => Wallet.fromPrivateKey(secret).toV3String(password, { n: 1024 }),
    open: async (text, password) => (await Wallet.fromV3(text, password)).getPrivateKey(),
  },
  "thor-devkit": {
    write: async (secret, password) => JSON.stringify(await Keystore.encrypt(secret, password)),
    open: (text, password) => Keystore.decrypt(JSON.parse(text), password),
  },
}

const ordinary = createHash("sha256").update("a test key, good for nothing").digest()
const keys = {
  ordinary: { secret: ordinary, password: "correct-horse-1" },
  "with a leading zero": { secret: Buffer.concat([Buffer.alloc(1), ordinary.subarray(1)]), password: "correct-horse-1" },
  "under a password that isn't in NFKC": { secret: ordinary, password: "nº 5, accented" },
}

async function write() {
  const written = []
  for (const [tool, { write }] of Object.entries(tools)) {
    const { name, version } = JSON.parse(readFileSync(`node_modules/${tool}/package.json`))
    for (const [what, { secret, password }] of Object.entries(keys)) {
      const file = JSON.parse(await write(secret, password))
      written.push({ package: `${name} ${version}`, what, password, secret: hex(secret), file })
    }
  }
  console.log(JSON.stringify(written, null, 2))
}

async function open(files) {
  for (const file of files) {
    const [text, password] = [readFileSync(file, "utf8"), readFileSync(`${file}.password`, "utf8")]
    for (const [tool, { open }] of Object.entries(tools)) {
      const came = await Promise.resolve().then(() => open(text, password)).then(hex, () => "refused")
      console.log([file.split("/").at(-1), tool, came].join("\t"))
    }
  }
}

const [, , verb, ...files] = process.argv
void (verb === "write" ? write() : open(files))

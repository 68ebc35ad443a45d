#!/usr/bin/env bash
# Makes the font files of this folder from the fonts of the distribution. Run by hand, when a text needs a character
# that they lack (the test of the strings says which): add it to `more` below, or to the range that it belongs to.
#   apt-get install fonts-noto-core fonts-dejavu-core fonts-wqy-microhei fonttools
set -euo pipefail
cd "$(dirname "$0")"
fonts=/usr/share/fonts/truetype

latin=U+0020-007E,U+00A0-017F,U+0370-03FF,U+2010-2027,U+2030-203A,U+20AC
math=U+02B0-02B8,U+02C6-02DD,U+1D2C-1D6A,U+2032-2034,U+2044,U+2070-209C,U+2110-2115,U+211D,U+2190-2199,U+21B5,U+21BA-21BB,U+21D0-21D4,U+2200-222B,U+2234-2237,U+223C,U+2243-224B,U+2260-226B,U+2282-228B,U+2295-2299,U+22A4-22A5,U+22C0-22C5,U+22EE-22F1,U+2308-230B,U+23CE
shapes=U+2460-2469,U+2500-2503,U+250C-251C,U+2524-254B,U+2580-2593,U+25A0-25A9,U+25B2-25C9,U+25CB-25D1,U+2605-2606,U+2713-2718,U+27E8-27E9
# CJK punctuation, full-width forms, and all of GB 2312 level 1; then what is used beyond that.
cjk=U+3000-3017,U+FF00-FF5E,U+FFE5
level1=$(python3 -c "print(''.join(bytes([h, l]).decode('gb2312') for h in range(0xB0, 0xD8)
                                    for l in range(0xA1, 0xFF if h < 0xD7 else 0xFA)))")
more=

# subset <font file> <result> <option of pyftsubset>...
subset() {
  pyftsubset "$1" --output-file="$2" --no-hinting --layout-features= --name-IDs=0,1,2,13 --drop-tables+=GPOS,GSUB,GDEF,kern "${@:3}"
}
subset $fonts/noto/NotoSans-Regular.ttf sans.ttf --unicodes=$latin
subset $fonts/dejavu/DejaVuSans.ttf symbols.ttf --unicodes=$math,$shapes
subset $fonts/dejavu/DejaVuSansMono.ttf mono.ttf --unicodes=$latin,$math,$shapes
subset $fonts/wqy/wqy-microhei.ttc cjk.ttf --font-number=0 --unicodes=$cjk --text="$level1$more"

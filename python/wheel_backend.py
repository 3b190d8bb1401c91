"""The smallest PEP 517 and 660 backend: packs the package into a wheel, or a line that leads to this folder."""
import base64
import hashlib
import os
import pathlib
import zipfile

NAME, VERSION = "headlight", "1.0.0"
INFO = f"{NAME}-{VERSION}.dist-info"
HERE = pathlib.Path(__file__).resolve().parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = HERE / NAME
    return _write(wheel_directory, {f"{NAME}/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.suffix == ".py" or path.name == "py.typed"})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {f"_{NAME}_editable.pth": f"{HERE}\n".encode()})


def _write(wheel_directory, files):
    files = {
        **files,
        f"{INFO}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\nRequires-Python: >=3.9\nRequires-Dist: numpy\n".encode(),
        f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nGenerator: headlight\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{INFO}/RECORD"] = (record + f"{INFO}/RECORD,,\n").encode()
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name

"""Environments read into columns, one made-up dump of each kind."""

from issuebook.text.environment import Environment, environment
from issuebook.text.regions import Span, regions


def read(text: str, framework: str = "") -> Environment:
    return environment(text, [Span(0, len(text), "environment", "test")], framework)


def test_torch_and_vllm_collect_env() -> None:
    found = read(
        "PyTorch version: 2.4.0+cu121\r\nCUDA used to build PyTorch: 12.1\r\nOS: Ubuntu 22.04.4 LTS (x86_64)\r\n"
        "Python version: 3.10.12 (main, Sep 11 2024) [GCC 11.4.0] (64-bit runtime)\r\nCUDA runtime version: 12.4.99\r\n"
        "GPU models and configuration: \r\nGPU 0: NVIDIA H20\r\nGPU 1: NVIDIA H20\r\n"
        "Nvidia driver version: 550.54.15\r\n[pip3] numpy==1.26.4\r\n[pip3] torch==2.4.0\r\n"
        "[conda] numpy    1.26.4   pypi_0  pypi\r\nvLLM Version: 0.6.3.post1\r\n",
        "vllm",
    )
    assert found == Environment(
        "0.6.3.post1",
        "12.1",
        "550.54.15",
        ("NVIDIA H20",),
        2,
        "Ubuntu 22.04.4 LTS (x86_64)",
        "3.10.12",
        {"numpy": "1.26.4", "torch": "2.4.0"},
    )


def test_sglang_check_env() -> None:
    found = read(
        "Python: 3.11.11 (main, Dec 11 2024) [GCC 11.2.0]\nCUDA available: True\nGPU 0,1,2: NVIDIA A100-SXM4-80GB\n"
        "GPU 0,1,2 Compute Capability: 8.0\nNVCC: Cuda compilation tools, release 12.4, V12.4.131\n"
        "CUDA Driver Version: 535.54.03\nPyTorch: 2.5.1+cu124\nsglang: 0.4.0\nvllm: 0.6.4\n"
        "flashinfer: Module Not Found\n",
        "sglang",
    )
    assert (found.framework_version, found.cuda, found.driver, found.python) == (
        "0.4.0",
        "12.4",
        "535.54.03",
        "3.11.11",
    )
    assert (found.gpus, found.gpu_count) == (("NVIDIA A100-SXM4-80GB",), 3)
    assert found.packages == {"sglang": "0.4.0", "vllm": "0.6.4"}


def test_llama_cpp_version_lines() -> None:
    found = read(
        "  Device 0: NVIDIA GeForce RTX 3060, compute capability 8.6, VMM: yes\n"
        "  Device 1: Tesla P40, compute capability 6.1\n"
        "version: 4000 (0a1b2c3d)\nbuilt with cc (Ubuntu 12.3.0) 12.3.0 for x86_64-linux-gnu\n",
        "llama.cpp",
    )
    assert (found.framework_version, found.os) == ("4000", "x86_64-linux-gnu")
    assert found.gpus == ("NVIDIA GeForce RTX 3060", "Tesla P40")


def test_nvidia_smi() -> None:
    found = read(
        "| NVIDIA-SMI 550.90.07      Driver Version: 550.90.07      CUDA Version: 12.4     |\n"
        "|   0  NVIDIA A100-SXM4-40GB          On  | 00000000:00:04.0 Off |   0 |\n"
        "|   1  NVIDIA A100-SXM4-40GB          On  | 00000000:00:05.0 Off |   0 |\n"
    )
    assert (found.driver, found.cuda, found.gpus, found.gpu_count) == (
        "550.90.07",
        "12.4",
        ("NVIDIA A100-SXM4-40GB",),
        2,
    )


def test_pip_tables_and_pip_show() -> None:
    found = read("aiohttp       3.9.1\nName: Sglang\nVersion: 0.4.2.post4\n", "sglang")
    assert found.packages == {"aiohttp": "3.9.1", "sglang": "0.4.2.post4"}
    assert found.framework_version == "0.4.2.post4"


def test_values_written_by_hand() -> None:
    found = read(
        "- OS: Arch Linux\n- **GPU**: RTX 4090\nCUDA 12.2, driver 535.1\npython 3.11.2\nvllm version: 0.5.0\n", "vllm"
    )
    assert (found.os, found.gpus, found.cuda, found.driver) == ("Arch Linux", ("RTX 4090",), "12.2", "535.1")
    assert (found.python, found.framework_version) == ("3.11.2", "0.5.0")


def test_a_cuda_suffix_of_a_package_is_no_cuda_version() -> None:
    assert read("[pip3] cupy-cuda12x==13.0\n").cuda is None


def test_what_could_not_be_collected_is_unknown() -> None:
    assert (
        read(
            "CUDA runtime version: Could not collect\nNvidia driver version: Could not collect\nvLLM Version: N/A\n",
            "vllm",
        )
        == Environment()
    )


def test_only_environment_spans_are_read() -> None:
    body = "I use vllm 0.5.0 with CUDA 12.1 on this machine.\n\nOS: Ubuntu 22.04 LTS\n"
    found = environment(body, regions(body), "vllm")
    assert (found.os, found.cuda, found.framework_version) == ("Ubuntu 22.04 LTS", None, None)


def test_a_body_without_environment_gives_the_empty_one() -> None:
    assert environment("words", regions("words"), "vllm").as_dict()["packages"] == {}
